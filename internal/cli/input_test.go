package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"plimsoll/internal/cli/author"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/command/commandtest"
	"plimsoll/internal/result/resulttest"
)

// blocks is a study that can be planned anywhere.
const blocks = commandtest.Blocks

// Every command that reads a file reads standard input as "-", and no pipe that nobody
// writes to keeps it waiting.
func TestInputs(t *testing.T) {
	s := newSite(t)
	if err := resulttest.Run("runs/often", []string{"ssd", "hdd-16"}, []int{1, 4}, 2, 30); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	socket, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(socket)
	if err := syscall.Bind(socket, &syscall.SockaddrUnix{Name: "socket"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		command []string
		input   string
	}{{[]string{"plan"}, blocks}, {[]string{"size"}, demand}, {[]string{"storage", "up"}, "pools: 1\n"}, {[]string{"run"}, "study: [\n"}} {
		for file, want := range map[string]string{"pipe": "nobody writes to", "socket": "is a socket", ".": "is a directory", "/dev/null": "/dev/null"} {
			code, _, errs := s.plimsoll(append(c.command, file)...)
			if code != command.ExitUsage || !strings.Contains(errs, want) {
				t.Errorf("%v %s: exit code %d: %s", c.command, file, code, errs)
			}
		}
		var out, errs bytes.Buffer
		state := s.State()
		state.Stdin, state.Stdout, state.Stderr = strings.NewReader(c.input), &out, &errs
		code := Main(state, append(c.command, "-"))
		if want := c.command[0] == "plan" || c.command[0] == "size"; want != (code == 0) || strings.Contains(errs.String(), "neither a file") ||
			!want && !strings.Contains(errs.String(), "standard input") {
			t.Errorf("%v -: exit code %d: %s%s", c.command, code, &out, &errs)
		}
	}
}

// Who waits for a pipe or for standard input can be interrupted.
func TestWaitingForInputIsInterrupted(t *testing.T) {
	s := newSite(t)
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	held, err := os.OpenFile("pipe", os.O_RDWR, 0) // a writer that writes nothing
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	defer read.Close()
	for _, arg := range []string{"pipe", "-"} {
		state := s.State()
		state.Stdin = read
		ctx, cancel := context.WithCancel(t.Context())
		state.Context = ctx
		cancel()
		if code := Main(state, []string{"plan", arg}); code != command.ExitInterrupted {
			t.Errorf("plan %s: exit code %d", arg, code)
		}
	}
}

// <(command) names a pipe by its descriptor.
func TestPipesAreRead(t *testing.T) {
	s := newSite(t)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	_, err = write.WriteString(blocks)
	if err := errors.Join(err, write.Close()); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := s.plimsoll("plan", fmt.Sprintf("/dev/fd/%d", read.Fd())); code != 0 {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// The name of an output does not say another format than it has.
func TestNamesOfOutputsFit(t *testing.T) {
	s := newSite(t)
	if err := resulttest.Run("runs/often", []string{"ssd", "hdd-16"}, []int{1, 4}, 2, 30); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		want int
	}{
		{"report -f html -o x.csv", command.ExitUsage},
		{"report --format csv -o x.HTML", command.ExitUsage},
		{"report --format markdown -o x.txt", command.ExitUsage},
		{"report -o x.pdf", command.ExitUsage},
		{"report -o x.csv --json", command.ExitUsage},
		{"compare runs/often:ssd runs/often:hdd-16 -o x.md", command.ExitUsage},
		{"study new x.json --storage .", command.ExitUsage},
		{"image -o x.tar.gz", command.ExitUsage},
		{"report -f csv -o x.csv", 0},
		{"report -o x.markdown", 0},
		{"report -f csv -o x.out", 0},
		{"report -o x.json --json", 0},
	} {
		args := strings.Fields(c.args)
		code, out, errs := s.plimsoll(args...)
		if code != c.want || c.want != 0 && !strings.Contains(out+errs, "its name says") {
			t.Errorf("%s: exit code %d: %s%s", c.args, code, out, errs)
		}
	}
	if left, _ := filepath.Glob("x.[cHjpmt]*"); len(left) != 3 {
		t.Errorf("written: %q", left)
	}
}

// A directory that happens to have the name of a shipped study does not hide it; one that
// has not is said to be a directory.
func TestADirectoryHidesNoStudy(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"quickstart", "else"} {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s := &command.State{Context: t.Context()}
	if name, text, err := author.ReadStudy(s, "quickstart"); err != nil || name != "quickstart.yaml" || len(text) == 0 {
		t.Errorf("%s: %v", name, err)
	}
	if _, _, err := author.ReadStudy(s, "else"); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Error(err)
	}
}
