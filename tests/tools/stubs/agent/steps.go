package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	chunk   = 1 << 20
	forever = time.Duration(1<<63 - 1)
)

// Step is one thing that a task does.
type Step struct {
	In        string   `json:"in,omitempty"` // where: the task of a run (default), `worker`, `controller`, or `loop`, which is the runner itself
	Do        string   `json:"do"`
	Paths     []string `json:"paths,omitempty"`
	To        []string `json:"to,omitempty"` // addresses with port, or URLs
	Megabytes int      `json:"megabytes,omitempty"`
	Seconds   int      `json:"seconds,omitempty"`
	Stubborn  bool     `json:"stubborn,omitempty"` // from here on SIGTERM is ignored
}

// perform does the step; what it returns can be written as JSON.
func (step Step) perform() any {
	limit := time.Duration(step.Seconds) * time.Second
	switch step.Do {
	case "identity":
		return identity()
	case "write":
		return each(step.Paths, func(path string) string { return write(path, step.Megabytes) })
	case "remove":
		return each(step.Paths, func(path string) string { return outcome(os.Remove(path)) })
	case "read":
		return each(step.Paths, read)
	case "allocate":
		return allocate(step.Megabytes)
	case "connect":
		return each(step.To, func(address string) string { return connect(address, limit) })
	case "fetch":
		return each(step.To, func(url string) string { return fetch(url, limit) })
	case "listen":
		return each(step.To, listen)
	case "sleep":
		time.Sleep(limit)
		return "awake"
	case "hang":
		time.Sleep(forever)
	}
	return "no such step"
}

// at is those of some steps that are done in one place.
func at(place string, steps []Step) []Step {
	return slices.DeleteFunc(slices.Clone(steps), func(step Step) bool { return step.In != place })
}

// each does the same with many, all at once.
func each(many []string, do func(string) string) map[string]string {
	results := make(map[string]string, len(many))
	var lock sync.Mutex
	var all sync.WaitGroup
	for _, one := range many {
		all.Go(func() {
			result := do(one)
			lock.Lock()
			defer lock.Unlock()
			results[one] = result
		})
	}
	all.Wait()
	return results
}

// write makes a file, and the directory it is in: `ok`, or why not.
func write(path string, megabytes int) string {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return reason(err)
	}
	file, err := os.Create(path)
	if err != nil {
		return reason(err)
	}
	defer file.Close()
	for range megabytes {
		if _, err := file.Write(make([]byte, chunk)); err != nil {
			return reason(err)
		}
	}
	_, err = file.WriteString(pod())
	return outcome(err)
}

func outcome(err error) string {
	if err != nil {
		return reason(err)
	}
	return "ok"
}

// allocate uses memory, and all of it.
func allocate(megabytes int) string {
	held := make([][]byte, megabytes)
	for index := range held {
		held[index] = make([]byte, chunk)
		for place := 0; place < chunk; place += os.Getpagesize() {
			held[index][place] = 1
		}
	}
	return fmt.Sprintf("%d MB", len(held))
}

// connect is `ok` where somebody answers, else what the network says: `no answer`, or why not.
func connect(address string, limit time.Duration) string {
	connection, err := net.DialTimeout("tcp", address, limit)
	if err != nil {
		return reason(err)
	}
	defer connection.Close()
	_ = connection.SetDeadline(time.Now().Add(limit))
	_, err = bufio.NewReader(connection).ReadString('\n')
	return outcome(err)
}

// fetch is the status of an answer, or why there is none.
func fetch(url string, limit time.Duration) string {
	client := http.Client{Timeout: limit}
	response, err := client.Get(url)
	if err != nil {
		return reason(err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.Status
}

// listen greets whoever connects, as long as the task lives.
func listen(address string) string {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return reason(err)
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(connection, "ok\n")
			_ = connection.Close()
		}
	}()
	return "ok"
}

// reason is the system's word for what went wrong, where there is one.
func reason(err error) string {
	var number syscall.Errno
	var network net.Error
	switch {
	case errors.As(err, &number):
		return number.Error()
	case errors.As(err, &network) && network.Timeout():
		return "no answer"
	}
	return err.Error()
}

// identity is who a process is to the kernel, and what it may do.
func identity() map[string]string {
	found := map[string]string{}
	for _, line := range strings.Split(read("/proc/self/status"), "\n") {
		name, value, _ := strings.Cut(line, ":")
		found[name] = strings.Join(strings.Fields(value), " ")
	}
	root := "writable"
	if err := os.WriteFile("/written", nil, 0o600); err != nil {
		root = reason(err)
	}
	wanted := map[string]string{"root": root}
	for _, name := range []string{"Uid", "Gid", "Groups", "CapEff", "CapBnd", "NoNewPrivs", "Seccomp"} {
		wanted[name] = found[name]
	}
	return wanted
}
