package kvcache

import (
	"os"
	"testing"

	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

func TestMain(m *testing.M) { os.Exit(workloadtest.Answering(m, Workload{})) }

// A driver says what its users do by themselves.
func TestDriverSaysWhatItDoesByItself(t *testing.T) {
	workloadtest.Ceiling(t, Workload{}, small(as), workload.Target{Endpoints: []endpoint.Endpoint{endpoint.OfDirectory(fileio.VolumeRole, t.TempDir())}})
}

// Without a volume, turns are as on one.
func TestTurnsInMemory(t *testing.T) {
	p := small(as)
	target, able := Workload{}.Capabilities().Answerer.Answerable(workload.Target{Users: 1}, p, "127.0.0.1:1")
	if !able {
		t.Fatal("not answerable")
	}
	s := &stage{p: p, target: target}
	s.enter(t)
	if n := s.stored(); n != p.begun() {
		t.Errorf("%d blocks are there in the beginning, want %d", n, p.begun())
	}
	for range 40 {
		if err := s.user.Do(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if s.counts[opTurn] != 40 || s.counts[opRestore] == 0 || s.counts[opEvict] == 0 || s.counts[opRestore] == 40 {
		t.Errorf("operations %v", s.counts)
	}
}
