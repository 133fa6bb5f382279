// Package command is what all commands share: the world as they see it, how they end, and how
// they write text, tables, JSON and files. Everything that a command touches comes in through
// State, so that the whole command line can be tested in process.
package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"

	"golang.org/x/term"

	"plimsoll/internal/host/journal"
)

// State is the world as a command sees it.
type State struct {
	Context    context.Context
	Stdin      io.Reader
	Stdout     io.Writer
	Stderr     io.Writer
	Getenv     func(string) string
	Executable string // the plimsoll binary, to start drivers and helpers
	Called     string // the name that it was called by
	Width      int    // of the terminal, 0 when it is not one
	// Screen is standard error if it can redraw lines, nil otherwise. Output to it bypasses the
	// escaping that Stdout and Stderr do.
	Screen *os.File
	// Impatient is cancelled by the second interrupt.
	Impatient context.Context

	JSON bool // --json

	// Strays searches the machine, and some directories, for what runs left that no register
	// knows.
	Strays func(places []string) []journal.Stray

	ascii      bool           // standard output is a terminal that shows ASCII only
	invocation *regexp.Regexp // how texts name commands; nil where they need no change
}

// Process is the State of a real process. The first SIGINT or SIGTERM cancels
// Context, the second Impatient.
func Process() *State {
	ctx, cancel := context.WithCancel(context.Background())
	impatient, hurry := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// `plimsoll run | head` must not end a run where it stands: writing then
	// fails, and what was made is taken down in order. Ignoring the signal would
	// pass on to servers and drivers.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() {
		<-signals
		cancel()
		<-signals
		hurry()
	}()
	executable, err := os.Executable()
	if err != nil {
		executable = os.Args[0]
	}
	return &State{
		Context: ctx, Impatient: impatient, Executable: executable, Called: os.Args[0],
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Width: terminalWidth(os.Stdout), Screen: screen(os.Stderr), Strays: journal.Strays,
	}
}

func screen(f *os.File) *os.File {
	if term.IsTerminal(int(f.Fd())) && !dumb(os.Getenv) {
		return f
	}
	return nil
}

// dumb reports whether the terminal may not understand escape sequences.
func dumb(getenv func(string) string) bool {
	name := getenv("TERM")
	return name == "" || name == "dumb"
}

// Colour reports whether output to a terminal may be styled.
func (s *State) Colour() bool {
	return s.Width > 0 && s.Getenv("NO_COLOR") == "" && !dumb(s.Getenv)
}

func terminalWidth(f *os.File) int {
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// Columns is the width of text: the terminal's as it is now, or one that suits a file.
func (s *State) Columns() int {
	if s.Width == 0 {
		return 100
	}
	if now := terminalWidth(os.Stdout); now > 0 {
		s.Width = max(now, minWidth)
	}
	return s.Width
}

// minWidth is the least that text is wrapped to.
const minWidth = 40

// WorkDir is where volumes live while a study runs. It must let servers under
// another user through, which home directories often do not.
func (s *State) WorkDir(flag string) string {
	dir := Absolute(cmp.Or(flag, s.Getenv("PLIMSOLL_WORK"), "/var/tmp"))
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real // the kernel names mounts by it
	}
	return dir
}

// CacheDir keeps golden volumes. Root uses the machine's, because servers run
// under another user must reach it.
func (s *State) CacheDir(flag string) string {
	if dir := cmp.Or(flag, s.Getenv("PLIMSOLL_CACHE")); dir != "" {
		if absolute, err := filepath.Abs(dir); err == nil {
			return absolute
		}
		return dir
	}
	if os.Geteuid() == 0 {
		return "/var/cache/plimsoll/golden"
	}
	if dir, err := os.UserCacheDir(); err == nil {
		return filepath.Join(dir, "plimsoll", "golden")
	}
	return filepath.Join(s.WorkDir(""), fmt.Sprintf("plimsoll-cache-%d", os.Geteuid()))
}
