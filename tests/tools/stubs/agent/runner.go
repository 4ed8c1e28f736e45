package main

import (
	"bufio"
	"context"
	"encoding/json"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Worker and runner share a volume, which the runner sees in parts. In the worker's data directory they are below `run`.
const (
	toRunner   = "/opt/workdir"
	fromRunner = "/opt/data"
	loopFiles  = "/tmp/exec-loop"

	stepsFile   = "steps.json"
	signalFile  = "signal"
	endFile     = "end"
	resultsFile = "results"
	endedFile   = "ended"
)

// superviseRunner is the worker of agent-job: it has the runner do the task of its pod, and tells Scalr what came out of it.
func superviseRunner(scalr *Scalr, stopped context.Context) {
	home := required("SCALR_AGENT_DATA_DIR")
	runner := filepath.Join(home, "run")
	writeProbe(filepath.Join(home, "started"))
	writeProbe(filepath.Join(home, "healthy"))
	task := scalr.ownTask()
	for ; task == nil && stopped.Err() == nil; task = scalr.ownTask() {
		pause(stopped, pollInterval)
	}
	if task == nil {
		return
	}
	startTask(at("worker", task.Steps), scalr.reporter(task)).wait()
	content, _ := json.Marshal(task.Steps)
	publish(filepath.Join(runner, "config", stepsFile), content)
	done, report := make(chan struct{}), scalr.reporter(task)
	go func() {
		defer close(done)
		seen := 0
		for ended := false; !ended; time.Sleep(pollInterval) {
			ended = exists(filepath.Join(runner, "data", endedFile)) == 0
			lines := strings.Split(read(filepath.Join(runner, "data", resultsFile)), "\n")
			for _, line := range lines[seen : len(lines)-1] {
				event := Event{}
				_ = json.Unmarshal([]byte(line), &event)
				event.Container = "runner"
				report(event)
				seen++
			}
		}
	}()
	select {
	case <-done:
	case <-stopped.Done():
		howToStop().stop(scalr, done, func(number syscall.Signal) {
			publish(filepath.Join(runner, "config", signalFile), []byte(number.String()))
		})
	}
	ended := read(filepath.Join(runner, "data", endedFile))
	scalr.report(Event{Run: task.Run, Event: "run ended", Result: ended})
	publish(filepath.Join(runner, "config", endFile), nil)
	if stopped.Err() != nil {
		os.Exit(1)
	}
}

// runLoop is the runner of agent-job: it does what the worker says. As it is the first process of its container, nothing but the worker and
// SIGKILL ends it.
func runLoop() {
	signal.Ignore(syscall.SIGTERM)
	writeProbe(loopFiles + "/started")
	writeProbe(loopFiles + "/healthy")
	await(filepath.Join(toRunner, stepsFile))
	steps := []Step{}
	if err := json.Unmarshal([]byte(read(filepath.Join(toRunner, stepsFile))), &steps); err != nil {
		log.Fatal(err)
	}
	for _, step := range at("loop", steps) {
		step.perform()
	}
	results, err := os.OpenFile(filepath.Join(fromRunner, resultsFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		log.Fatal(err)
	}
	running := startTask(at("", steps), func(event Event) {
		line, _ := json.Marshal(event)
		log.Print(string(line))
		_, _ = results.Write(append(line, '\n'))
	})
	for sent := ""; !within(running.done, pollInterval); {
		switch wanted := read(filepath.Join(toRunner, signalFile)); {
		case wanted == sent:
		case wanted == syscall.SIGTERM.String():
			running.signal(syscall.SIGTERM)
			sent = wanted
		default:
			running.signal(syscall.SIGKILL)
			sent = wanted
		}
	}
	publish(filepath.Join(fromRunner, endedFile), []byte(running.end))
	await(filepath.Join(toRunner, endFile))
}

func await(path string) {
	for exists(path) != 0 {
		time.Sleep(pollInterval)
	}
}

// writeProbe makes a file that a probe looks for.
func writeProbe(path string) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		log.Fatal(err)
	}
	publish(path, nil)
}

// publish makes a file appear with all of its content.
func publish(path string, content []byte) {
	unfinished := path + ".new"
	if err := os.WriteFile(unfinished, content, 0o644); err != nil {
		log.Fatal(err)
	}
	if err := os.Rename(unfinished, path); err != nil {
		log.Fatal(err)
	}
}

func read(path string) string {
	content, _ := os.ReadFile(path)
	return string(content)
}

// lines hands over each line of what a process writes.
func lines(from *bufio.Scanner, take func(string)) {
	for from.Scan() {
		take(from.Text())
	}
}
