package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/result"
)

func replace(text string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(text)
}

// long is a study whose trials leave time to disturb them.
func long() string { return replace(study("postgres"), "measure: 3s", "measure: 20s") }

func TestMalformedStudyShowsEveryProblemAtOnce(t *testing.T) {
	s := newSite(t)
	path := s.write("bad.yaml", replace(study("postgres"), "users: 2", "usres: 2", "warmup: 1s", "warmup: 1", "name: dvdstore", "name: dvdstroe"))
	_, errs := s.plimsoll(2, "plan", path)
	contains(t, errs, "bad.yaml:3:", "bad.yaml:8:", "bad.yaml:9:", "usres", "dvdstore")
}

func TestUnknownStudyNamesThoseThatThereAre(t *testing.T) {
	_, errs := newSite(t).plimsoll(2, "run", "quickstrat")
	contains(t, errs, "quickstart")
}

func TestWhatCannotFitIsRefusedBeforeItStarts(t *testing.T) {
	s := newSite(t)
	path := s.write("big.yaml", replace(study("postgres"), "ladder: [1, 2]", "ladder: [1, 4000]"))
	_, errs := s.plimsoll(3, "run", path, "--name", "big")
	contains(t, errs, "cannot run here", "memory")
	if _, err := os.Stat(s.run("big")); err == nil {
		t.Error("a run directory was made for a run that was refused")
	}
}

func TestMissingEngineNamesThePackage(t *testing.T) {
	s := newSite(t)
	path := s.write("old.yaml", replace(study("postgres"), "{name: postgres,", "{name: postgres, version: \"14\","))
	_, errs := s.plimsoll(3, "run", path, "--no-fetch", "--name", "old")
	contains(t, errs, "PostgreSQL 14", "apt-get install")
}

func TestServerThatWillNotStartShowsItsLogAndTheCampaignGoesOn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.write("nostart.yaml", replace(study("postgres"), "measure: 3s", "measure: 1s", "memory: 256MiB}",
		"memory: 256MiB, settings: {}}\nmatrix: {engine.settings.shared_preload_libraries: ['', no_such_library]}"))
	s.plimsoll(4, "run", path, "--name", "nostart", "--min-grade", "F")
	run, err := result.Open(s.run("nostart"))
	if err != nil {
		t.Fatal(err)
	}
	var failed, passed int
	for _, trial := range run.Trials {
		if trial.Status == result.Passed {
			passed++
			continue
		}
		failed++
		contains(t, trial.Failure.Cause, "no_such_library")
	}
	if failed != 2 || passed != 2 {
		t.Errorf("%d failed and %d passed, want 2 and 2", failed, passed)
	}
}

func TestServerKilledMidTrialFailsTheTrialAlone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.start("run", s.write("long.yaml", replace(long(), "measure: 20s", "measure: 10s")), "--name", "killed", "--min-grade", "F", "--json")
	b.until("the measured phase has begun", b.measuring)
	s.killOne("killed", "db-000")
	if code := b.wait(); code != 4 {
		t.Fatalf("exit code %d\n%s", code, &b.out)
	}
	first, second := s.trial("killed", "memory/1/1"), s.trial("killed", "memory/2/1")
	if first.Status != result.Failed || first.Failure.Stage != "drive" || first.Failure.At.Before(first.Start) {
		t.Errorf("first trial: %s, %+v", first.Status, first.Failure)
	}
	contains(t, first.Failure.Cause, "db-000", "killed")
	if second.Status != result.Passed {
		t.Errorf("second trial: %+v", second.Failure)
	}
}

// killOne kills the process of an object of the run, and only that.
func (s *site) killOne(run, object string) {
	s.t.Helper()
	for _, p := range s.processes(run) {
		if strings.HasSuffix(p.Object, object) && (p.Command == "postgres" || p.Command == "mariadbd") {
			if err := syscall.Kill(p.PID, syscall.SIGKILL); err != nil {
				s.t.Fatal(err)
			}
			return
		}
	}
	s.t.Fatalf("no process of %s among %v", object, s.processes(run))
}

func TestInterruptKeepsFinishedTrialsAndResumes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.start("run", s.write("long.yaml", replace(long(), "measure: 20s", "measure: 3s")), "--name", "stopped", "--min-grade", "F",
		"--cpuprofile", "cpu.prof", "--memprofile", "mem.prof", "--trace", "run.trace")
	b.until("the first trial is finished", func() bool {
		_, err := os.Stat(filepath.Join(result.TrialDir(s.run("stopped"), "memory/1/1"), result.TrialFile))
		return err == nil
	})
	b.until("the second drives", s.driving("stopped"))
	b.signal(syscall.SIGINT)
	if code := b.wait(); code != 130 {
		t.Fatalf("exit code %d\n%s", code, &b.out)
	}
	contains(t, b.out.String(), "--resume")
	for _, shows := range []string{"pprof -raw cpu.prof", "pprof -raw mem.prof", "trace -d=parsed run.trace"} {
		tool := exec.Command("go", append([]string{"tool"}, strings.Fields(shows)...)...)
		tool.Dir = s.dir
		if out, err := tool.CombinedOutput(); err != nil {
			t.Errorf("go tool %s: %v\n%s", shows, err, out)
		}
	}
	if left := s.leftovers("stopped"); len(left) > 0 {
		t.Fatalf("left after the interrupt: %v", left)
	}
	before := s.trial("stopped", "memory/1/1").Ended
	s.plimsoll(0, "run", "--resume", s.run("stopped"), "--min-grade", "F")
	if after := s.trial("stopped", "memory/1/1").Ended; !after.Equal(before) {
		t.Error("the finished trial was measured again")
	}
	if s.trial("stopped", "memory/2/1").Status != result.Passed {
		t.Error("the interrupted trial was not made good")
	}
}

func TestSecondInterruptStopsAtOnceAndLeavesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.start("run", s.write("long.yaml", long()), "--name", "twice")
	b.until("the users are at work", s.driving("twice"))
	b.signal(syscall.SIGINT)
	_ = b.cmd.Process.Signal(syscall.SIGINT) // it may have ended by now
	if code := b.wait(); code != 130 {
		t.Fatalf("exit code %d\n%s", code, &b.out)
	}
	s.plimsoll(0, "clean")
}

// kill -9 at several points; clean finds everything, resume finishes.
func TestKillNineThenCleanThenResume(t *testing.T) {
	t.Parallel()
	points := map[string]func(s *site, run string) func() bool{
		"while instances start": func(s *site, run string) func() bool {
			return func() bool { return len(s.processes(run)) > 0 }
		},
		"while users are at work": func(s *site, run string) func() bool { return s.driving(run) },
	}
	number := 0
	for when, ready := range points {
		number++
		name := "nine-" + string(rune('0'+number))
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			b := s.start("run", s.write("long.yaml", replace(long(), "measure: 20s", "measure: 2s")), "--name", name)
			b.until(when, ready(s, name))
			b.signal(syscall.SIGKILL)
			b.wait()
			s.driversKeepNoPassword(name)
			out, _ := s.plimsoll(0, "clean", s.run(name))
			contains(t, out, "Nothing is left")
			if left := s.leftovers(name); len(left) > 0 {
				t.Fatalf("clean left: %v", left)
			}
			s.plimsoll(0, "run", "--resume", s.run(name), "--min-grade", "F")
		})
	}
}

// driversKeepNoPassword looks into what a killed run left of its drivers.
func (s *site) driversKeepNoPassword(run string) {
	s.t.Helper()
	dir := filepath.Join("/var/tmp", journal.Name(s.journalOf(run).RunID), "drivers")
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), `"password"`) {
			s.t.Errorf("%s holds a password (%v)", path, err)
		}
		return nil
	})
}

func TestTwoPlimsollsDoNotWorkOnOneRun(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.start("run", s.write("long.yaml", long()), "--name", "busy")
	b.until("the users are at work", s.driving("busy"))
	_, errs := s.plimsoll(3, "run", "--resume", s.run("busy"))
	contains(t, errs, "in use by another plimsoll process")
	out, _ := s.plimsoll(0, "clean")
	contains(t, out, "skipped")
	b.stop()
}

// Two runs of one name in different places, and a third whose name begins like
// theirs: none touches what the others have, at work and when they end.
func TestRunsOfOneNameDoNotTouchEachOther(t *testing.T) {
	t.Parallel()
	a, b := newSite(t), newSite(t)
	first := a.start("run", a.write("long.yaml", long()), "--name", "k1", "--min-grade", "F")
	first.until("the users are at work", a.driving("k1"))
	short := replace(long(), "measure: 20s", "measure: 1s", "ladder: [1, 2]", "ladder: [1]")
	second := b.start("run", b.write("short.yaml", short), "--name", "k1", "--min-grade", "F")
	if code := second.wait(); code != 0 {
		t.Fatalf("the second run: exit code %d\n%s", code, &second.out)
	}
	b.plimsoll(0, "clean")
	third := b.start("run", b.write("long.yaml", long()), "--name", "k10")
	third.until("the users are at work", b.driving("k10"))
	out, _ := b.plimsoll(0, "clean", "runs/k1") // k10 is not its leftover
	contains(t, out, "Nothing is left")
	third.stop()
	first.until("the first trial has ended", func() bool {
		_, err := os.Stat(filepath.Join(result.TrialDir(a.run("k1"), "memory/1/1"), result.TrialFile))
		return err == nil
	})
	if trial := a.trial("k1", "memory/1/1"); trial.Status != result.Passed {
		t.Errorf("the first run: %+v", trial.Failure)
	}
	first.stop()
}

// A reader that goes away, as head does, ends a command with its own code.
func TestReaderThatGoesAway(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := s.command("studies", "cns-ds2")
	cmd.Stdout = writer
	_ = cmd.Run() // the code says it
	if got := cmd.ProcessState.ExitCode(); got != 141 {
		t.Errorf("exit code %d, want 141", got)
	}
}
