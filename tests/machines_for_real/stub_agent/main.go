// Stands for the agent: tells the names of its variables, has a run, and ends on SIGTERM when the run has ended.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"sort"
	"strings"
	"syscall"
	"time"
)

func main() {
	names := []string{}
	for _, variable := range os.Environ() {
		names = append(names, strings.SplitN(variable, "=", 2)[0])
	}
	sort.Strings(names)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	fmt.Println("variables:", strings.Join(names, " "))
	fmt.Println("arguments:", strings.Join(os.Args[1:], " "))
	fmt.Println("a run has begun")
	<-stop
	fmt.Println("draining")
	time.Sleep(2 * time.Second)
	fmt.Println("the run has ended")
}
