package run

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/command/commandtest"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/host/mounts"
	"plimsoll/internal/study"
	"plimsoll/internal/study/templates"
)

// A file system that is too small is refused, and memory is called memory.
func TestTryLooksAtThePlace(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting a file system needs root")
	}
	s := commandtest.New(t)
	mount := func(name, options string) string {
		dir := filepath.Join(s.Dir, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mount("plimsoll-test", dir, "tmpfs", 0, options); err != nil {
			t.Skipf("mounting a file system is not permitted: %v", err)
		}
		t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
		return dir
	}
	err := tryPath(s.State(), &tryOptions{}, mount("small", "size=16m"))
	if command.ExitCode(err) != command.ExitCannotRun || !strings.Contains(err.Error(), "16 MiB free; 1 GiB is needed") {
		t.Error(err)
	}
	p, err := lookAt(mount("large", "size=2g"))
	if err != nil || len(p.notes) != 1 || !strings.Contains(p.notes[0], "memory (tmpfs), not a disk") {
		t.Errorf("%v, notes %v", err, p.notes)
	}
	p.mount, p.notes = mounts.Mount{Type: "nfs4", Source: "host:/x"}, nil
	if p.look(); len(p.notes) != 1 || !strings.Contains(p.notes[0], "a network file system (nfs4, host:/x)") {
		t.Errorf("notes %v", p.notes)
	}
	if err := os.Chmod(p.path, 0o700); err != nil {
		t.Fatal(err)
	}
	if name, note := engineFor(s.State(), p); name != "" || !strings.Contains(note, "may not enter /") {
		t.Errorf("%q, %q", name, note)
	}
}

// The studies of a first answer are sound whatever the path is called.
func TestTryStudiesAreSound(t *testing.T) {
	for _, path := range []string{"/mnt/fast", "/", `/a "b" 'c': {x} #1`, "/ünï", "/" + strings.Repeat("long", 60)} {
		for _, engine := range []string{"", "postgres", "mariadb"} {
			parts := templates.FirstAnswer{Path: path, Runs: path + "/runs", Engine: engine, Medium: templates.InMemory, Limit: "p99 <= 1s", Analytics: true}.Parts()
			if want := 4 + min(len(engine), 1); len(parts) != want {
				t.Errorf("%d studies with engine %q", len(parts), engine)
			}
			for _, p := range parts {
				st, err := study.Parse(p.Name, p.Text, "", facts.Vocabulary(registry.Parts()))
				if err != nil {
					t.Fatalf("%s: %v\n%s", path, err, p.Text)
				}
				if _, err := st.Expand(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// A line names p99 where p95 hides it, and the grade comes with its reason.
func TestTrySaysWhatP95Hides(t *testing.T) {
	v := analysis.Variant{Name: "try"}
	v.Work.Unit.Throughput = "IOPS"
	v.Rungs = []rung.Rung{{Instances: 8, Throughput: stats.Exactly(31016), Mean: stats.Exactly(257e-6), Percentile: map[string]float64{"p95": 91e-6, "p99": 9e-3}}}
	a := &analysis.Analysis{Grade: "C", GradeReason: "it was short (try/8/1)", Variants: []analysis.Variant{v}}
	a.Study.Noun = "user"
	if line, want := bestLine(a, v), "31,016 IOPS with 8 users; mean 257 µs (above p95), p95 91 µs, p99 9 ms, 35 × the mean"; line != want {
		t.Errorf("%q, want %q", line, want)
	}
	var out strings.Builder
	state := &command.State{Stdout: &out}
	printOneTried(state, tried{analysis: a, Report: "report.html"})
	if want := "  grade C: at most 25 % off, or could be the opposite. It was short (try/8/1)\n"; !strings.Contains(out.String(), want) {
		t.Errorf("%q is not in\n%s", want, &out)
	}
}

// The objective of small I/Os fits the medium, unless one is given.
func TestTryLimitsFitTheMedium(t *testing.T) {
	for medium, want := range map[templates.Medium]string{templates.InMemory: "p95 <= 1ms", templates.Flash: "p95 <= 5ms", templates.Rotating: "p95 <= 30ms"} {
		first := templates.FirstAnswer{Path: "/srv", Runs: "/srv/runs", Medium: medium}
		if got := first.BlockObjective(); got != want || !strings.Contains(string(first.Parts()[0].Text), strconv.Quote(want)) {
			t.Errorf("%v: %q, want %q", medium, got, want)
		}
		if first.Limit = "p99 <= 1s"; first.BlockObjective() != first.Limit {
			t.Errorf("%q was asked for, not %q", first.Limit, first.BlockObjective())
		}
	}
}
