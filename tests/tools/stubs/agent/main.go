// The stub agent: what the images of Scalr's agents are to Kubernetes, and no more. It speaks the contract of the charts as far as that is
// known: commands, variables, paths, probes, signals and the custom resource. What it says to Scalr, and a worker to its runner, is its own.
//
// The one program is all there is in an image. Like busybox it is what it is called as.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"time"
)

var (
	agentCommand = []string{"-m", "tacoagent.cmd"}
	legacyLoop   = []string{"/opt/scalr-agent/tacoagent/driver/exec_loop.sh"}
)

func main() {
	log.SetFlags(0)
	name, arguments := filepath.Base(os.Args[0]), os.Args[1:]
	switch {
	case name == "python" && slices.Equal(arguments, agentCommand):
		runAgent()
	case name == "sh" && slices.Equal(arguments, legacyLoop) && generation() == "legacy":
		runLoop()
	case name == "exec-loop" && len(arguments) == 0 && generation() == "current":
		runLoop()
	case name == "task":
		runTask()
	case name == "test" && len(arguments) == 2 && arguments[0] == "-f":
		os.Exit(exists(arguments[1]))
	case name == "pause" || (name == "sleep" && slices.Equal(arguments, []string{"infinity"})):
		time.Sleep(forever)
	case name == "dns":
		forwardNames(arguments[0])
	default:
		fmt.Fprintf(os.Stderr, "%s: no such command in this image\n", os.Args)
		os.Exit(127)
	}
}

// generation is the line that the image belongs to: `legacy` or `current`.
func generation() string {
	return os.Getenv("STUB_GENERATION")
}

func exists(path string) int {
	if _, err := os.Stat(path); err != nil {
		return 1
	}
	return 0
}
