package e2e

import (
	"os"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/result"
)

// throttled is a study of one rung whose bottleneck is chosen by the test.
const throttled = `study: throttled
workload: {name: dvdstore, parameters: {size: 10MB}}
engine: {name: postgres, memory: 256MiB CPU}
storage:
  it: STORAGE
ladder: [2]
phases: {warmup: 2s, measure: 8s, ramp_rate: 0}
load: USERS
objectives: ["p95 <= 10s"]
`

// The bottleneck that is named is the one that an independent throttle made:
// take CPU away, then the disk's speed, then the users, and the finding
// follows.
func TestTheBottleneckNamedIsTheOneThatWasMade(t *testing.T) {
	const busy, idle = "{users: 8, think_time: 0s}", "{users: 1, think_time: 400ms}"
	for _, c := range []struct {
		name, cpu, storage, users string
		root                      bool
		want                      string // kind of the busiest of the trial's own resources; none for no bottleneck
	}{
		{"cpu", ", cpu: 0.2", "{class: directory, path: memory}", busy, true, "quota"},
		{"disk", "", "{class: disk, media: hdd-7200, size: 2GiB}", busy, true, "device"},
		{"users", "", "{class: directory, path: memory}", idle, false, "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.root {
				needDisk(t)
			}
			t.Parallel() // with the others here: a quota, a slow disk and users who think leave the machine idle
			s := newSite(t)
			run := "throttled-" + c.name
			s.plimsoll(0, "run", s.write("throttled.yaml", replace(throttled, " CPU", c.cpu, "STORAGE", c.storage, "USERS", c.users)),
				"--name", run, "--min-grade", "F")
			rung := lastRung(t, s.run(run))
			if got := saturatedKind(rung); got != c.want {
				t.Errorf("%q gives out first, want %q: %s\n%+v", got, c.want, rung.Bottleneck, rung.Resources)
			}
		})
	}
}

// The experiment that a finding asks for is run and judged.
func TestConfirmRunsTheExperiment(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("a CPU limit needs root here")
	}
	s := newSite(t)
	text := replace(throttled, " CPU", ", cpu: 0.2", "STORAGE", "{class: directory, path: memory}",
		"USERS", "{users: 8, think_time: 0s}", "[2]", "[1]", "warmup: 2s, measure: 8s", "warmup: 1s, measure: 3s")
	out, _ := s.plimsoll(0, "run", s.write("throttled.yaml", text), "--name", "confirm", "--min-grade", "F", "--confirm")
	// On a machine that tests share, repetitions may differ too much to decide.
	const shown = ": with engine.cpu at 0.4 instead of 0.2, throughput at 1 went from"
	contains(t, out, shown)
	if strings.Contains(out, "Refuted: with engine.cpu") {
		t.Error(out)
	}
	why, _ := s.plimsoll(0, "why", "confirm")
	contains(t, strings.Join(strings.Fields(why), " "), shown, "of confirm-confirm-1")
}

func lastRung(t *testing.T, dir string) rung.Rung {
	t.Helper()
	run, err := result.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	a, err := analysis.Analyse(run, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rungs := a.Variants[0].Rungs
	return rungs[len(rungs)-1]
}

// saturatedKind is the kind of the resource that the rung calls its
// bottleneck. The machine's CPU and memory are left out: on a machine that tests
// share other things use them.
func saturatedKind(r rung.Rung) string {
	for _, one := range r.Resources {
		if one.Kind != "cpu" && one.Kind != "memory" && one.Utilisation >= 0.85 {
			return string(one.Kind)
		}
	}
	return "none"
}
