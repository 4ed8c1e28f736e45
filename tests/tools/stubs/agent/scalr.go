package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

// Task is a run that Scalr wants to be done.
type Task struct {
	Run   string `json:"run"`
	Stage string `json:"stage"`
	Steps []Step `json:"steps"`
}

// Event is something that an agent has done, or seen.
type Event struct {
	Pod       string `json:"pod"`
	Container string `json:"container"`
	Run       string `json:"run,omitempty"`
	Event     string `json:"event"`
	Step      *Step  `json:"step,omitempty"`
	Result    any    `json:"result,omitempty"`
}

// Scalr is the stand-in for Scalr, as an agent with a token sees it. Proxies and authorities come from the variables that all programs know.
type Scalr struct {
	url, token, container string
	http                  http.Client
}

func newScalr() *Scalr {
	mode := os.Getenv("SCALR_AGENT_KUBERNETES_MODE")
	if mode == "" {
		mode = required("SCALR_AGENT_DRIVER")
	}
	return &Scalr{
		url:       required("SCALR_URL"),
		token:     required("SCALR_AGENT_TOKEN"),
		container: mode,
		http:      http.Client{Timeout: 20 * time.Second},
	}
}

var errRefused = errors.New("Scalr answers 401: the token of the agent pool is wrong or revoked")

// register connects the agent to its pool. Scalr may not be reachable yet; a token that it refuses is final.
func (scalr *Scalr) register() error {
	for {
		_, err := scalr.send("POST", "/agents", Event{Pod: pod(), Container: scalr.container})
		if err == nil || errors.Is(err, errRefused) {
			return err
		}
		log.Printf(`{"level": "warning", "message": %q}`, err)
		time.Sleep(time.Second)
	}
}

// task is the next task of the pool, if there is one.
func (scalr *Scalr) task() *Task {
	return scalr.taskAt("/tasks")
}

// ownTask is the task of a worker, whose pod was started for it.
func (scalr *Scalr) ownTask() *Task {
	return scalr.taskAt("/tasks/of/" + pod())
}

func (scalr *Scalr) taskAt(path string) *Task {
	content, err := scalr.send("GET", path, nil)
	if errors.Is(err, errRefused) {
		log.Printf(`{"level": "error", "message": %q}`, err)
		time.Sleep(refusedInterval)
		os.Exit(1)
	}
	task := new(Task)
	if err != nil || len(content) == 0 || json.Unmarshal(content, task) != nil {
		return nil
	}
	return task
}

// report tells Scalr of an event, and whoever reads the log.
func (scalr *Scalr) report(event Event) {
	event.Pod = pod()
	if event.Container == "" {
		event.Container = scalr.container
	}
	line, _ := json.Marshal(event)
	log.Print(string(line))
	if _, err := scalr.send("POST", "/events", event); err != nil {
		log.Printf(`{"level": "warning", "message": %q}`, err)
	}
}

func (scalr *Scalr) send(method, path string, content any) ([]byte, error) {
	body, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest(method, scalr.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+scalr.token)
	response, err := scalr.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode == http.StatusUnauthorized:
		return nil, errRefused
	case response.StatusCode >= http.StatusBadRequest:
		return nil, fmt.Errorf("%s %s: %s", method, path, response.Status)
	}
	return io.ReadAll(response.Body)
}

// pod is the name of the pod, which is its host's name.
func pod() string {
	name, _ := os.Hostname()
	return name
}
