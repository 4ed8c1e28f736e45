package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

const accountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount/"

// object is a Kubernetes object. Reading and writing it again loses nothing.
type object = map[string]any

// Cluster is the API of Kubernetes with the rights of the pod's own account. Like clients in other languages it heeds the variables of a proxy.
type Cluster struct {
	url, namespace string
	http           http.Client
}

func newCluster() *Cluster {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(accountFile("ca.crt")))
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, Proxy: http.ProxyFromEnvironment}
	return &Cluster{
		url:       "https://" + net.JoinHostPort(required("KUBERNETES_SERVICE_HOST"), required("KUBERNETES_SERVICE_PORT")),
		namespace: accountFile("namespace"),
		http:      http.Client{Transport: transport, Timeout: 20 * time.Second},
	}
}

func (cluster *Cluster) get(path string) (object, error) {
	return cluster.send("GET", path, nil)
}

// create makes an object. A field that Kubernetes does not know is an error.
func (cluster *Cluster) create(path string, content object) (object, error) {
	return cluster.send("POST", path+"?fieldValidation=Strict", content)
}

func (cluster *Cluster) send(method, path string, content object) (object, error) {
	answer, status, err := cluster.ask(method, path, content)
	if err != nil {
		return nil, err
	}
	found := object{}
	if err := json.Unmarshal(answer, &found); err != nil {
		return nil, err
	}
	if status >= http.StatusBadRequest {
		return nil, fmt.Errorf("%s %s: %v", method, path, found["message"])
	}
	return found, nil
}

// text is what is no object, as a log; it is an error's text if there is one.
func (cluster *Cluster) text(path string) string {
	answer, _, err := cluster.ask("GET", path, nil)
	if err != nil {
		return err.Error()
	}
	return string(answer)
}

// endOf waits until an object has ended, and says how.
func (cluster *Cluster) endOf(path string, end func(object) string) string {
	for {
		found, err := cluster.get(path)
		if err != nil {
			return err.Error()
		}
		if how := end(found); how != "" {
			return how
		}
		time.Sleep(pollInterval)
	}
}

func (cluster *Cluster) ask(method, path string, content object) ([]byte, int, error) {
	body, err := json.Marshal(content)
	if err != nil {
		return nil, 0, err
	}
	request, err := http.NewRequest(method, cluster.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, 0, err
	}
	request.Header.Set("Authorization", "Bearer "+accountFile("token"))
	request.Header.Set("Content-Type", "application/json")
	response, err := cluster.http.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return answer, response.StatusCode, err
}

// accountFile reads a file of the account. The token is renewed there while the agent runs.
func accountFile(name string) string {
	content, err := os.ReadFile(accountDirectory + name)
	if err != nil {
		log.Fatal(err)
	}
	return strings.TrimSpace(string(content))
}

// field is what is at a path in an object, or nil.
func field(of object, path ...string) any {
	var found any = of
	for _, key := range path {
		inner, ok := found.(object)
		if !ok {
			return nil
		}
		found = inner[key]
	}
	return found
}
