package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"context"
)

// running is a task in a process of its own, as Terraform or OpenTofu would be.
type running struct {
	process *os.Process
	done    chan struct{} // closed when it has ended
	end     string        // how it ended: `succeeded`, `failed`, or the signal that ended it
}

// startTask begins the steps of a task; what comes out of each of them is reported.
func startTask(steps []Step, report func(Event)) *running {
	content, _ := json.Marshal(steps)
	command := exec.Command("/proc/self/exe")
	command.Args = []string{"task"}
	command.Env = append(os.Environ(), "STUB_STEPS="+string(content))
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		log.Fatal(err)
	}
	started := &running{process: command.Process, done: make(chan struct{})}
	go func() {
		defer close(started.done)
		lines(bufio.NewScanner(output), func(line string) {
			event := Event{}
			if json.Unmarshal([]byte(line), &event) == nil {
				report(event)
			}
		})
		started.end = endOf(command.Wait(), command.ProcessState)
	}()
	return started
}

func endOf(err error, state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	if err != nil {
		return "failed"
	}
	return "succeeded"
}

func (started *running) wait() {
	<-started.done
}

func (started *running) signal(number syscall.Signal) {
	_ = started.process.Signal(number)
}

// reporter says of each event which task it belongs to.
func (scalr *Scalr) reporter(task *Task) func(Event) {
	return func(event Event) {
		event.Run = task.Run
		scalr.report(event)
	}
}

// runTask is the process of a task.
func runTask() {
	steps := []Step{}
	if err := json.NewDecoder(strings.NewReader(os.Getenv("STUB_STEPS"))).Decode(&steps); err != nil {
		log.Fatal(err)
	}
	results := json.NewEncoder(os.Stdout)
	for _, step := range steps {
		if step.Stubborn {
			signal.Ignore(syscall.SIGTERM)
		}
		_ = results.Encode(Event{Event: "step begun", Step: &step})
		_ = results.Encode(Event{Event: "step", Step: &step, Result: step.perform()})
	}
}

// runLocally is agent-local: it does tasks itself, one at a time.
func runLocally(scalr *Scalr, stopped context.Context) {
	takeTasks(scalr, stopped, func(task *Task) {
		process := startTask(task.Steps, scalr.reporter(task))
		select {
		case <-process.done:
		case <-stopped.Done():
			howToStop().stop(scalr, process.done, process.signal)
		}
		scalr.report(Event{Run: task.Run, Event: "run ended", Result: process.end})
	})
}
