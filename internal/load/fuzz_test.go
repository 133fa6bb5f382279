package load

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// FuzzReceipts reads what a killed driver or a damaged disk may leave. What can
// be read is written and read again alike, and a file that is cut gives all that
// is whole before the cut.
func FuzzReceipts(f *testing.F) {
	f.Add([]byte(receiptHeader), uint16(0))
	f.Add([]byte(receiptHeader+"\x02ab\x00\x03cde"), uint16(3))
	f.Add([]byte(receiptHeader+"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), uint16(1))
	f.Add([]byte(receiptHeader+"\x02"), uint16(9))
	f.Fuzz(func(t *testing.T, file []byte, cut uint16) {
		all, _ := receiptsIn(file)
		written := rewrite(t, all)
		again, err := receiptsIn(written)
		if err != nil || !slices.EqualFunc(all, again, bytes.Equal) {
			t.Fatalf("written and read again: %v, %v, %v", all, again, err)
		}
		whole, _ := receiptsIn(written[:max(0, len(written)-int(cut))])
		if len(whole) > len(all) || !slices.EqualFunc(whole, all[:len(whole)], bytes.Equal) {
			t.Fatalf("cut by %d: %v of %v", cut, whole, all)
		}
	})
}

func receiptsIn(file []byte) (all [][]byte, err error) {
	err = readReceipts(bufio.NewReader(bytes.NewReader(file)), func(r []byte) bool {
		all = append(all, bytes.Clone(r))
		return true
	})
	return all, err
}

func rewrite(t *testing.T, all [][]byte) []byte {
	t.Helper()
	dir := t.TempDir()
	f, err := createReceipts(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		f.add(r)
	}
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(ReceiptPath(dir, 0))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// FuzzJob reads any job: it is refused in words or can be run.
func FuzzJob(f *testing.F) {
	f.Add([]byte(`{"workload":"fake","parameters":{},"targets":[{"instance":0,"endpoints":[{"role":"db","kind":"none"}]}],"users":2,"think_time":"1s","ramp_rate":0,
		"start":"2026-11-22T00:00:00Z","ramp":"0s","warmup":"1s","measure":"3s","seed":1,"records":"-","receipts":"/tmp"}`))
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
		p, err := job.parameters(w)
		if err != nil || job.check(w, p) != nil {
			return
		}
		if job.Users < 1 || job.Measure <= 0 || len(job.Targets) == 0 {
			t.Fatalf("a job that cannot be run passed the check: %+v", job)
		}
	})
}
