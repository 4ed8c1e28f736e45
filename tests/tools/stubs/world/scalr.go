package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Scalr stands for Scalr: it has a pool of agents for each token, gives tasks to them, and remembers what they say.
type Scalr struct {
	lock  sync.Mutex
	pools map[string]*Pool
	taken map[string]Task // by run
}

// Pool is what belongs to one token.
type Pool struct {
	waiting []Task
	events  []json.RawMessage
}

// Task is a run; the steps are the agents' business.
type Task struct {
	Run   string          `json:"run"`
	Stage string          `json:"stage"`
	Steps json.RawMessage `json:"steps"`
}

func newScalr() *Scalr {
	return &Scalr{pools: map[string]*Pool{}, taken: map[string]Task{}}
}

func (scalr *Scalr) admit(token string) {
	scalr.lock.Lock()
	defer scalr.lock.Unlock()
	scalr.pools[token] = &Pool{}
}

func (scalr *Scalr) queue(token string, from io.Reader) {
	task := Task{}
	check(json.NewDecoder(from).Decode(&task))
	scalr.lock.Lock()
	defer scalr.lock.Unlock()
	scalr.pools[token].waiting = append(scalr.pools[token].waiting, task)
}

func (scalr *Scalr) eventsOf(token string) []json.RawMessage {
	scalr.lock.Lock()
	defer scalr.lock.Unlock()
	pool := scalr.pools[token]
	if pool == nil || len(pool.events) == 0 {
		return []json.RawMessage{}
	}
	return pool.events
}

// ServeHTTP answers agents.
func (scalr *Scalr) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	scalr.lock.Lock()
	defer scalr.lock.Unlock()
	pool := scalr.pools[strings.TrimPrefix(request.Header.Get("Authorization"), "Bearer ")]
	if pool == nil {
		answer.WriteHeader(http.StatusUnauthorized)
		return
	}
	switch path := request.Method + " " + request.URL.Path; {
	case path == "POST /agents":
	case path == "POST /events":
		pool.events = append(pool.events, body)
	case path == "GET /tasks":
		if len(pool.waiting) > 0 {
			task := pool.waiting[0]
			pool.waiting = pool.waiting[1:]
			scalr.taken[task.Run] = task
			_ = json.NewEncoder(answer).Encode(task)
		}
	case strings.HasPrefix(path, "GET /tasks/of/"):
		for run, task := range scalr.taken {
			if strings.Contains(path, run+"-"+task.Stage) {
				_ = json.NewEncoder(answer).Encode(task)
			}
		}
	default:
		answer.WriteHeader(http.StatusNotFound)
	}
}
