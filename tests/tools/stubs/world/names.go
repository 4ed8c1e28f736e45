package main

import (
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
)

const lifetime = 5 // seconds

// serveNames is the name server of the world, over UDP and TCP.
func serveNames(configuration Configuration) {
	addresses := configuration.Names
	listener, err := net.Listen("tcp", configuration.NameServer)
	check(err)
	go func() {
		for {
			connection, err := listener.Accept()
			check(err)
			go answerStream(connection, addresses)
		}
	}()
	questions, err := net.ListenPacket("udp", configuration.NameServer)
	check(err)
	for question := make([]byte, 4096); ; {
		size, asker, err := questions.ReadFrom(question)
		check(err)
		if answer := answerTo(question[:size], addresses); answer != nil {
			_, _ = questions.WriteTo(answer, asker)
		}
	}
}

// answerStream answers questions that have their length in front of them.
func answerStream(connection net.Conn, addresses map[string]string) {
	defer connection.Close()
	for {
		length := make([]byte, 2)
		if _, err := io.ReadFull(connection, length); err != nil {
			return
		}
		question := make([]byte, binary.BigEndian.Uint16(length))
		if _, err := io.ReadFull(connection, question); err != nil {
			return
		}
		answer := answerTo(question, addresses)
		_, _ = connection.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...))
	}
}

func answerTo(content []byte, addresses map[string]string) []byte {
	message := dnsmessage.Message{}
	if message.Unpack(content) != nil || len(message.Questions) != 1 {
		return nil
	}
	question := message.Questions[0]
	address, found := addresses[strings.TrimSuffix(strings.ToLower(question.Name.String()), ".")]
	answer := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: message.ID, Response: true, RecursionDesired: true, RecursionAvailable: true},
		Questions: message.Questions,
	}
	switch {
	case !found:
		answer.RCode = dnsmessage.RCodeNameError
	case question.Type == dnsmessage.TypeA:
		answer.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: question.Name, Class: dnsmessage.ClassINET, TTL: lifetime},
			Body:   &dnsmessage.AResource{A: netip.MustParseAddr(address).As4()},
		}}
	}
	packed, _ := answer.Pack()
	return packed
}
