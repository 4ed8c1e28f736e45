package main

import (
	"context"
	"log"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

const (
	pollInterval    = 200 * time.Millisecond
	refusedInterval = 4 * time.Second // from the refusal of a token to the agent's end
)

// runAgent is every agent but the runner. What kind it is, its variables say.
func runAgent() {
	scalr := newScalr()
	if err := scalr.register(); err != nil {
		log.Printf(`{"level": "error", "message": %q}`, err)
		time.Sleep(refusedInterval)
		os.Exit(1)
	}
	stopped, release := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer release()
	scalr.report(Event{Event: "started", Result: identity()})
	switch os.Getenv("SCALR_AGENT_DRIVER") + "/" + os.Getenv("SCALR_AGENT_KUBERNETES_MODE") {
	case "kubernetes-job/controller":
		controlJobs(scalr, stopped)
	case "kubernetes-job/worker":
		superviseRunner(scalr, stopped)
	case "local/":
		runLocally(scalr, stopped)
	case "/controller":
		controlPods(scalr, stopped)
	case "/worker":
		writeProbe(required("SCALR_AGENT_DATA_DIR") + "/worker")
		<-stopped.Done()
	default:
		log.Fatalf("no such driver and mode: %v", os.Environ())
	}
	scalr.report(Event{Event: "stopped"})
}

// takeTasks hands over one task after the other until the agent is told to stop.
func takeTasks(scalr *Scalr, stopped context.Context, take func(*Task)) {
	for stopped.Err() == nil {
		if task := scalr.task(); task != nil {
			take(task)
		}
		pause(stopped, pollInterval)
	}
}

// shutdown is what an agent was told to do when it is stopped.
type shutdown struct {
	action string
	drain  time.Duration // how long it waits for what runs, without a word to it
	grace  time.Duration // how long what runs has between SIGTERM and SIGKILL
}

func howToStop() shutdown {
	return shutdown{
		action: required("SCALR_AGENT_WORKER_ON_STOP_ACTION"),
		drain:  seconds("SCALR_AGENT_WORKER_DRAIN_TIMEOUT"),
		grace:  seconds("SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT"),
	}
}

// stop ends what runs as the agent was told to: `done` is closed when it has ended.
func (how shutdown) stop(scalr *Scalr, done <-chan struct{}, signalled func(syscall.Signal)) {
	scalr.report(Event{Event: "stopping", Result: how.action})
	if how.action == "drain" && within(done, how.drain) {
		return
	}
	if how.action != "force-shutdown" {
		scalr.report(Event{Event: "terminating"})
		signalled(syscall.SIGTERM)
		if within(done, how.grace) {
			return
		}
	}
	scalr.report(Event{Event: "killing"})
	signalled(syscall.SIGKILL)
	<-done
}

func within(done <-chan struct{}, limit time.Duration) bool {
	select {
	case <-done:
		return true
	case <-time.After(limit):
		return false
	}
}

func pause(until context.Context, limit time.Duration) {
	select {
	case <-until.Done():
	case <-time.After(limit):
	}
}

// required is a variable that the contract says is there.
func required(name string) string {
	value, found := os.LookupEnv(name)
	if !found {
		log.Fatalf("%s is not set", name)
	}
	return value
}

func seconds(name string) time.Duration {
	number, _ := strconv.Atoi(os.Getenv(name))
	return time.Duration(number) * time.Second
}
