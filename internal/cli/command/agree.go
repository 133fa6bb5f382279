package command

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"
)

// Agreed asks on the terminal; where there is none the answer is no.
func (s *State) Agreed(what string) bool {
	in, ok := s.Stdin.(*os.File)
	if !ok || s.JSON || !term.IsTerminal(int(in.Fd())) {
		return false
	}
	fmt.Fprintf(s.Stderr, "%s? [y/N] ", strings.ToUpper(what[:1])+what[1:])
	answer := make(chan string, 1)
	go func() { // reading cannot be interrupted
		line, _ := bufio.NewReader(in).ReadString('\n')
		answer <- line
	}()
	select {
	case <-s.Context.Done():
		return false
	case line := <-answer:
		line = strings.ToLower(strings.TrimSpace(line))
		return line == "y" || line == "yes"
	}
}
