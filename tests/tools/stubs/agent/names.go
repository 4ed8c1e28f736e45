package main

import (
	"io"
	"log"
	"net"
	"time"
)

const nameSeconds = 5 * time.Second

// forwardNames is the DNS of the cluster: it asks another server, over UDP and TCP.
func forwardNames(upstream string) {
	go forwardStreams(upstream)
	questions, err := net.ListenPacket("udp", ":53")
	if err != nil {
		log.Fatal(err)
	}
	for {
		question := make([]byte, 4096)
		size, asker, err := questions.ReadFrom(question)
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			if answer := ask(upstream, question[:size]); answer != nil {
				_, _ = questions.WriteTo(answer, asker)
			}
		}()
	}
}

func ask(upstream string, question []byte) []byte {
	connection, err := net.Dial("udp", upstream)
	if err != nil {
		return nil
	}
	defer connection.Close()
	_ = connection.SetDeadline(time.Now().Add(nameSeconds))
	answer := make([]byte, 4096)
	if _, err := connection.Write(question); err != nil {
		return nil
	}
	size, err := connection.Read(answer)
	if err != nil {
		return nil
	}
	return answer[:size]
}

func forwardStreams(upstream string) {
	listener, err := net.Listen("tcp", ":53")
	if err != nil {
		log.Fatal(err)
	}
	for {
		asker, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			defer asker.Close()
			server, err := net.Dial("tcp", upstream)
			if err != nil {
				return
			}
			defer server.Close()
			go func() { _, _ = io.Copy(server, asker) }()
			_, _ = io.Copy(asker, server)
		}()
	}
}
