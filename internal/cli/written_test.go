package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/result/resulttest"
	"plimsoll/test/quick"
)

// fullDisk takes as many bytes as there is room for and fails like a full disk then.
type fullDisk struct{ room int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if n := min(d.room, len(p)); n < len(p) {
		return n, &os.PathError{Op: "write", Path: "/dev/stdout", Err: unix.ENOSPC}
	}
	d.room -= len(p)
	return len(p), nil
}

// Output that could not be written ends every command with an error, and the error is
// said where it can be read, with --json as well.
func TestOutputThatCannotBeWritten(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	s := newSite(t)
	if err := resulttest.Run("runs/r", []string{"ssd", "hdd"}, []int{1, 4}, 2, 30); err != nil {
		t.Fatal(err)
	}
	s.Write("small.yaml", small)
	s.Write("demand.yaml", demand)
	for _, line := range []string{
		"list", "list --json", "show r", "show r ssd/1/1", "show r --json", "studies", "studies quickstart", "studies --json",
		"doctor", "doctor --json", "help", "help run", "--help", "run --help", "--version", "version", "completion bash", "completion zsh",
		"schema", "schema study", "report r", "report r -f csv", "report r --json", "report r -f markdown", "why r", "why r --json", "plan small.yaml", "plan small.yaml --json",
		"compare r:ssd r:hdd", "size demand.yaml", "storage list", "clean", "image --containerfile", "__complete report ''", "",
	} {
		t.Run(line, func(t *testing.T) {
			args := strings.Fields(line)
			code, out, errs := s.plimsoll(args...)
			if out == "" {
				t.Fatalf("prints nothing (exit code %d): %s", code, errs)
			}
			for _, room := range []int{0, len(out) / 2} {
				var errs bytes.Buffer
				state := s.State()
				state.Stdout, state.Stderr = &fullDisk{room}, &errs
				if code := Main(state, args); code != command.ExitFailure {
					t.Errorf("exit code %d with room for %d bytes of %d", code, room, len(out))
				}
				if said := errs.String(); !strings.Contains(said, "plimsoll: ") || strings.Count(said, "write /dev/stdout: no space left on device") != 1 {
					t.Errorf("with room for %d bytes it said %q", room, errs.String())
				}
			}
			state := s.State()
			state.Stdout = &fullDisk{2 * len(out)} // what is free, and when, may be a digit longer now
			if got := Main(state, args); got != code {
				t.Errorf("exit code %d where all was written, and %d with more room", got, code)
			}
		})
	}
}

// A reader that has gone is no error to speak of, whatever the command.
func TestReaderThatLeft(t *testing.T) {
	s := newSite(t)
	for _, line := range []string{"list --json", "studies", "help", "doctor"} {
		var errs bytes.Buffer
		state := s.State()
		state.Stdout, state.Stderr = closedPipe{}, &errs
		if code := Main(state, strings.Fields(line)); code != command.ExitReaderLeft || errs.Len() > 0 {
			t.Errorf("%s: exit code %d, %q", line, code, errs.String())
		}
	}
}

// plan --offline plans for what the study describes, or for what nothing is known of.
func TestPlanOffline(t *testing.T) {
	s := newSite(t)
	s.Write("small.yaml", small)
	if code, _, errs := s.plimsoll("plan", "small.yaml", "--offline", "--ask"); code != command.ExitUsage {
		t.Errorf("with --ask: exit code %d, %q", code, errs)
	}
	const elsewhere = "storage={there: {class: directory, path: /nowhere/at/all}}"
	claims := []string{"--platform", "kubernetes", "--set", "storage={fast: {class: claim, storage_class: fast}}"}
	described := func(nodes string) string { return "platform.described={nodes: [" + nodes + "]}" }
	for _, c := range []struct {
		options []string
		code    int
		want    string
	}{
		{[]string{"--set", elsewhere}, command.ExitCannotRun, "/nowhere/at/all"},
		{[]string{"--offline", "--set", elsewhere}, 0, "whether the trials fit on the machine is not known"},
		{[]string{"--offline", "--set", "platform.name=local", "--set", described("{cpu: 4, memory: 32MiB}")}, command.ExitCannotRun, "the machine has"},
		{append(claims, "--offline"), 0, "whether the trials fit on the cluster is not known"},
		{append(claims, "--offline", "--set", "platform.name=kubernetes", "--set", described("{count: 3, cpu: 16, memory: 64GiB}")), 0, "fast"},
		{append(claims, "--offline", "--set", "platform.name=kubernetes", "--set", described("{cpu: 4, memory: 32MiB}")), command.ExitCannotRun, "node"},
		{append(claims, "--offline", "--set", "platform.name=kubernetes", "--set", described("")), command.ExitUsage, "there is none"},
		{append(claims, "--offline", "--set", "platform.name=kubernetes", "--set", described("{cpu: 2}")), command.ExitUsage, "0B is no memory of a machine"},
		{append(claims, "--offline", "--set", "platform.name=kubernetes", "--set", described("{cpu: 2, memory: 4GiB, disk: 1TB}")), command.ExitUsage, "are not on its machines"},
		{append(claims, "--offline", "--set", "platform.name=kubernetes", "--set", described("{cpu: 1e300, memory: 4GiB}, {count: 9000, cpu: 1, memory: 1TiB}, {count: 9000, cpu: 1, memory: 1TiB}")), command.ExitUsage, "18001 machines"},
		{append(claims, "--offline", "--set", "storage.fast.storage_class=crs-{cpu}"), command.ExitUsage, "stands for cpu"},
		{[]string{"--offline", "--set", "deployment=vm"}, command.ExitCannotRun, "deployment vm: this version"},
		{[]string{"--offline", "--set", "platform.name=local", "--set", described("{count: 2, cpu: 4, memory: 32MiB}")}, command.ExitUsage, "one machine"},
	} {
		code, out, errs := s.plimsoll(append([]string{"plan", "small.yaml"}, c.options...)...)
		if code != c.code || !strings.Contains(out+errs, c.want) {
			t.Errorf("%v: exit code %d, %s%s; want %d and %q", c.options, code, out, errs, c.code, c.want)
		}
	}
}
