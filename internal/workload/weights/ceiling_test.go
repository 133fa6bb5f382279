package weights

import (
	"os"
	"testing"

	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

func TestMain(m *testing.M) { os.Exit(workloadtest.Answering(m, Workload{})) }

// A driver of pods says what they do by themselves, though their work on the volume is fixed.
func TestDriverSaysWhatItDoesByItself(t *testing.T) {
	workloadtest.Ceiling(t, Workload{}, small(func(p *Parameters) { p.Loads = 2 }), workload.Target{Endpoints: []endpoint.Endpoint{endpoint.OfDirectory(fileio.VolumeRole, t.TempDir())}})
}

// Without a volume, a pod still loads parts, which together have no more bytes than the
// model.
func TestPartsInMemory(t *testing.T) {
	p := small(func(p *Parameters) { p.Loads = 1 })
	target, able := Workload{}.Capabilities().Answerer.Answerable(workload.Target{Users: 1}, p, "127.0.0.1:1")
	if !able {
		t.Fatal("not answerable")
	}
	pod, r := start(t, target, p), &eventRecorder{}
	for range 3 {
		if err := pod.Do(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if part := p.part()[0].Bytes; r.counts != [2]int{3, 3} || r.bytes != 3*part || part > p.shard() {
		t.Errorf("%+v", r)
	}
}
