// Command remains runs a command, such as the test suite, and then lists everything it left on
// the machine: mounts, loop devices, namespaces, control groups, processes, shared memory,
// temporary directories and registers. Things that another program made meanwhile are listed,
// too.
//
//	go run ./test/remains make test-packages
//
// It exits with the command's exit code, or with 1 if something is left.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"time"
)

// endLimit is how long what ends by itself may take to be gone, such as killed processes.
const endLimit = 10 * time.Second

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "remains: name a command; what it leaves is looked for")
		os.Exit(2)
	}
	before := look()
	code := run(os.Args[1:])
	left := look().without(before)
	for deadline := time.Now().Add(endLimit); len(left) > 0 && time.Now().Before(deadline); {
		time.Sleep(100 * time.Millisecond) // no event says that a mount or a segment is gone
		left = look().without(before)
	}
	if len(left) > 0 {
		fmt.Fprint(os.Stderr, left.text())
		code = max(code, 1)
	}
	os.Exit(code)
}

// run runs a command to its end, also when it is interrupted: its own handling comes first.
func run(command []string) (code int) {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() > 0 {
		return exit.ExitCode()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "remains:", err)
		return 1
	}
	return 0
}
