package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"log"
	"net"
	"net/http"
	"time"
)

// serveProxy is a corporate proxy: it asks for a password, and opens TLS with an authority of its own.
func serveProxy(configuration Configuration, public, corporate *Authority) {
	roots := x509.NewCertPool()
	roots.AddCert(public.certificate)
	proxy := &proxy{
		login: "Basic " + base64.StdEncoding.EncodeToString([]byte(configuration.Login)),
		upstream: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: roots},
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				host, port, err := net.SplitHostPort(address)
				if err != nil {
					return nil, err
				}
				if known, found := configuration.Names[host]; found {
					host = known
				}
				return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort(host, port))
			},
		},
		authority: corporate,
	}
	log.Fatal(http.ListenAndServe(configuration.Proxy, proxy))
}

type proxy struct {
	login     string
	upstream  *http.Transport
	authority *Authority
}

func (proxy *proxy) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	if request.Header.Get("Proxy-Authorization") != proxy.login {
		answer.Header().Set("Proxy-Authenticate", "Basic")
		answer.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	if request.Method != http.MethodConnect {
		answer.WriteHeader(http.StatusNotImplemented) // nothing that is not encrypted goes out
		return
	}
	connection, _, err := http.NewResponseController(answer).Hijack()
	if err != nil {
		log.Print(err)
		return
	}
	defer connection.Close()
	_, _ = connection.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n"))
	host, _, _ := net.SplitHostPort(request.Host)
	client := tls.Server(connection, &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		return proxy.authority.sign(host)
	}})
	proxy.forward(client, request.Host)
}

// forward sends on what comes through an opened connection, request by request.
func (proxy *proxy) forward(client net.Conn, host string) {
	reader := bufio.NewReader(client)
	for {
		_ = client.SetDeadline(time.Now().Add(time.Minute))
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		request.URL.Scheme, request.URL.Host = "https", host
		response, err := proxy.upstream.RoundTrip(request)
		if err != nil {
			log.Print(err)
			return
		}
		if response.Write(client) != nil {
			return
		}
	}
}
