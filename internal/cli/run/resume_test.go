package run

import (
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/command/commandtest"
	"plimsoll/internal/cli/rundir"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/result/resulttest"
	"plimsoll/internal/text/version"
)

// Nobody can be asked in a test, so the answer is no unless --force says yes.
func TestResumeAsksBeforeItMixesMachinesOrVersions(t *testing.T) {
	for what, from := range map[string]string{"another machine": journal.MachineID(), "started by plimsoll 0": version.Get()} {
		s := commandtest.New(t)
		s.KilledRun("theirs")
		s.Moved("theirs", map[string]string{from: strings.Repeat("0", 32)})
		c, err := rundir.Claim("runs/theirs")
		if err != nil {
			t.Fatal(err)
		}
		defer c.Release()
		state := &command.State{Stdin: strings.NewReader("yes\n")}
		err = agreeToResume(state, c, false)
		if command.ExitCode(err) != command.ExitCannotRun || !strings.Contains(err.Error(), what) || !strings.Contains(command.Hint(err), "--force") {
			t.Errorf("%s: %v", what, err)
		}
		if err := agreeToResume(state, c, true); err != nil {
			t.Errorf("%s: --force: %v", what, err)
		}
	}
}

// Whoever trusts a run directory says so, and it is then known; one of this machine needs
// no word.
func TestARunIsAdopted(t *testing.T) {
	s := commandtest.New(t)
	dir := filepath.Join("runs", "received")
	if err := resulttest.Run(dir, []string{"ssd", "hdd"}, []int{1, 2, 4}, 2, 20); err != nil {
		t.Fatal(err)
	}
	c, err := rundir.Claim(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := mayResume(s.State(), c, &runOptions{}); command.ExitCode(err) != command.ExitCannotRun || !strings.Contains(command.Hint(err), "--adopt") {
		t.Errorf("unknown: %v", err)
	}
	if err := mayResume(s.State(), c, &runOptions{adopt: true}); err != nil || !c.State.Registered {
		t.Errorf("adopted: %v, registered %v", err, c.State.Registered)
	}
	c.Release()
	if c, err = rundir.Claim(dir); err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	if err := mayResume(s.State(), c, &runOptions{}); err != nil {
		t.Errorf("of this machine: %v", err)
	}
}
