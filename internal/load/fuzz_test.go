package load

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"plimsoll/internal/workload"
)

// FuzzAcks reads what a killed driver or a damaged disk may leave. What can be
// read is written and read again alike, and a file that is cut gives all that
// is whole before the cut.
func FuzzAcks(f *testing.F) {
	f.Add([]byte(ackHeader), uint16(0))
	f.Add([]byte(ackHeader+"\x00\x02\x04\x06\x08\x0a\x01\x01\x03\x05\x07\x09"), uint16(3))
	f.Add([]byte(ackHeader+"\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00\x00\x00\x00"), uint16(1))
	f.Add([]byte(ackHeader+"\x02"), uint16(9))
	f.Fuzz(func(t *testing.T, file []byte, cut uint16) {
		all, _ := acksIn(file)
		written := rewrite(t, all)
		again, err := acksIn(written)
		if err != nil || !slices.Equal(all, again) {
			t.Fatalf("written and read again: %v, %v, %v", all, again, err)
		}
		whole, _ := acksIn(written[:max(0, len(written)-int(cut))])
		if len(whole) > len(all) || !slices.Equal(whole, all[:len(whole)]) {
			t.Fatalf("cut by %d: %v of %v", cut, whole, all)
		}
	})
}

func acksIn(file []byte) (all []workload.Ack, err error) {
	err = readAcks(bufio.NewReader(bytes.NewReader(file)), func(a workload.Ack) bool {
		all = append(all, a)
		return true
	})
	return all, err
}

func rewrite(t *testing.T, all []workload.Ack) []byte {
	t.Helper()
	dir := t.TempDir()
	a, err := createAcks(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range all {
		a.add(k)
	}
	if err := a.close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(AckPath(dir, 0))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// FuzzJob reads any job: it is refused in words or can be run.
func FuzzJob(f *testing.F) {
	f.Add([]byte(`{"workload":"fake","parameters":{},"targets":[{"Instance":0,"Engine":"fake"}],"users":2,"think_time":"1s","ramp_rate":0,
		"start":"2026-11-22T00:00:00Z","ramp":"0s","warmup":"1s","measure":"3s","seed":1,"records":"-","acks":"/tmp"}`))
	f.Add([]byte(`{"users":-1,"rate":1e308,"measure":"2562047h","error_limit":2}`))
	f.Add([]byte(`{"unknown":1}`))
	f.Add([]byte(`null {}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "job.json")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		job, err := ReadJob(path)
		if err != nil {
			return
		}
		w := newFake(0)
		if job.check(w) != nil {
			return
		}
		if job.Users < 1 || job.Measure <= 0 || len(job.Targets) == 0 {
			t.Fatalf("a job that cannot be run passed the check: %+v", job)
		}
		_, _ = job.parameters(w) // only panics count here
	})
}
