// The world outside of the cluster: all that a packet from a node can reach, in one program in a network namespace of its own. It is Scalr and
// everybody else's web server, a registry of images, a proxy, a name server, and, for any other address and port, somebody who answers and
// remembers who has asked.
//
// `world CONFIGURATION ORDERS API` inherits two listeners of the tests' own namespace, as descriptors: one for orders, one that leads to the
// API server.
package main

import (
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
)

// Configuration is what the tests say.
type Configuration struct {
	Agent      string            `json:"agent"`      // the program in all images
	Images     map[string]Image  `json:"images"`     // by repository and tag
	NameServer string            `json:"nameServer"` // address and port
	Names      map[string]string `json:"names"`      // addresses by name
	Scalr      string            `json:"scalr"`      // host name
	Web        string            `json:"web"`        // address of all web servers
	Registry   string            `json:"registry"`   // address and port
	Proxy      string            `json:"proxy"`      // address and port
	Login      string            `json:"login"`      // `user:password` of the proxy
	Anybody    string            `json:"anybody"`    // port that connections to any other address are redirected to
	APIServer  string            `json:"apiServer"`  // address and port
}

func main() {
	log.SetFlags(log.Lmicroseconds)
	configuration := Configuration{}
	content, err := os.ReadFile(os.Args[1])
	check(err)
	check(json.Unmarshal(content, &configuration))
	public, corporate := newAuthority("public"), newAuthority("corporate")
	scalr, seen := newScalr(), &Connections{}

	go serveNames(configuration)
	go answerAnybody(configuration.Anybody, seen)
	go serveImages(configuration, public)
	go serveWeb(configuration, public, scalr, seen)
	go serveProxy(configuration, public, corporate)
	go relay(inherited(os.Args[3]), configuration.APIServer)
	check(http.Serve(inherited(os.Args[2]), ordersOf(scalr, seen, public, corporate)))
}

// ordersOf is what the tests can ask for.
func ordersOf(scalr *Scalr, seen *Connections, public, corporate *Authority) http.Handler {
	handler := http.NewServeMux()
	handler.HandleFunc("PUT /tokens/{token}", func(_ http.ResponseWriter, request *http.Request) {
		scalr.admit(request.PathValue("token"))
	})
	handler.HandleFunc("POST /tasks/{token}", func(_ http.ResponseWriter, request *http.Request) {
		scalr.queue(request.PathValue("token"), request.Body)
	})
	handler.HandleFunc("GET /events/{token}", func(answer http.ResponseWriter, request *http.Request) {
		_ = json.NewEncoder(answer).Encode(scalr.eventsOf(request.PathValue("token")))
	})
	handler.HandleFunc("GET /connections", func(answer http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(answer).Encode(seen.all())
	})
	handler.HandleFunc("GET /authorities", func(answer http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(answer).Encode(map[string]string{"public": public.PEM(), "corporate": corporate.PEM()})
	})
	return handler
}

// relay hands connections over. It is the only way between the tests' namespace and this one.
func relay(from net.Listener, to string) {
	for {
		connection, err := from.Accept()
		check(err)
		go func() {
			defer connection.Close()
			server, err := net.Dial("tcp", to)
			if err != nil {
				return
			}
			join(connection, server)
		}()
	}
}

// join copies in both directions until both sides have ended.
func join(one, other net.Conn) {
	done := make(chan struct{})
	go func() {
		_, _ = io.Copy(other, one)
		_ = other.(*net.TCPConn).CloseWrite()
		close(done)
	}()
	_, _ = io.Copy(one, other)
	_ = one.(*net.TCPConn).CloseWrite()
	<-done
	_ = other.Close()
}

func inherited(descriptor string) net.Listener {
	number, err := strconv.Atoi(descriptor)
	check(err)
	listener, err := net.FileListener(os.NewFile(uintptr(number), "inherited"))
	check(err)
	return listener
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
