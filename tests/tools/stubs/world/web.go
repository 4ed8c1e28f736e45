package main

import (
	"crypto/tls"
	"fmt"
	"log"
	"net"
	"net/http"
	"sync"
)

// Connection is one that somebody has made.
type Connection struct {
	From string `json:"from"` // address
	To   string `json:"to"`   // address and port, or host name
}

// Connections are all of them, in their order.
type Connections struct {
	lock sync.Mutex
	made []Connection
}

func (connections *Connections) add(from net.Addr, to string) {
	host, _, _ := net.SplitHostPort(from.String())
	connections.lock.Lock()
	defer connections.lock.Unlock()
	connections.made = append(connections.made, Connection{From: host, To: to})
}

func (connections *Connections) all() []Connection {
	connections.lock.Lock()
	defer connections.lock.Unlock()
	return append([]Connection{}, connections.made...)
}

// serveWeb is every web server: it has a certificate for whatever host is asked for. One of them is Scalr.
func serveWeb(configuration Configuration, public *Authority, scalr *Scalr, seen *Connections) {
	server := http.Server{
		Addr:      net.JoinHostPort(configuration.Web, "443"),
		TLSConfig: &tls.Config{GetCertificate: public.certificateFor},
		ErrorLog:  log.Default(),
		Handler: http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
			from, _ := net.ResolveTCPAddr("tcp", request.RemoteAddr)
			seen.add(from, request.Host)
			if request.Host == configuration.Scalr {
				scalr.ServeHTTP(answer, request)
				return
			}
			fmt.Fprintln(answer, request.Host)
		}),
	}
	check(server.ListenAndServeTLS("", ""))
}

// answerAnybody greets whoever connects to any address, as a web server that does not listen: the kernel redirects to this port what nobody else listens to.
func answerAnybody(port string, seen *Connections) {
	listener, err := net.Listen("tcp", ":"+port)
	check(err)
	for {
		connection, err := listener.Accept()
		check(err)
		go func() {
			defer connection.Close()
			wanted := originally(connection.(*net.TCPConn))
			seen.add(connection.RemoteAddr(), wanted)
			fmt.Fprint(connection, "HTTP/1.0 200 OK\r\n\r\n")
		}()
	}
}
