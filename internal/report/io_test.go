package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/describe"
	"plimsoll/internal/report/tables"
	"plimsoll/internal/result"
)

// writingRandomly is a run whose work is random writes of 16 KiB, which a disk gets as larger ones.
func writingRandomly(t *testing.T) *analysis.Analysis {
	t.Helper()
	run := analysistest.Timed{
		At: 1, Busy: 0.9, Rungs: []int{1, 2}, Repetitions: 2, Noise: 0.01,
		Stations: []analysistest.TimedStation{
			{Demand: 0.002, Servers: 8, Inside: "running", Waiting: "cpu_wait", CPU: true},
			{Inside: "device_wait", Waiting: "device_wait", Wait: "data read", Device: "vda"},
		},
	}.Run(1)
	for _, one := range run.Trials {
		ofWrites(one)
	}
	a, err := analysis.Analyse(run, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// ofWrites gives a trial a random write of 16 KiB a unit, of which a disk gets a quarter, four times
// as large.
func ofWrites(t *result.Trial) {
	t.Profile.Requests = []describe.Request{{Direction: describe.Writes, PerUnit: 1, Bytes: 16384, Sequential: new(float64)}}
	var writes float64
	for _, r := range t.Resources {
		if r.Kind == "device" && r.Metric == "writes" {
			writes = r.Mean
		}
	}
	analysistest.Sampled(t, "device", "vda", "write_merges", 3*writes)
	analysistest.Sampled(t, "device", "vda", "write_bytes", writes*65536)
	analysistest.Sampled(t, "device", "vda", "random_writes", writes/2)
}

func TestRequestsByLayer(t *testing.T) {
	a := writingRandomly(t)
	const sentence = "Writes of 16 KiB at random arrive at the disks as 64 KiB, 50 % sequential."
	for _, width := range []int{120, 80, 44} {
		var text bytes.Buffer
		if err := Terminal(&text, a, width, false); err != nil {
			t.Fatal(err)
		}
		_, table, found := strings.Cut(text.String(), "Requests by layer")
		if !found {
			t.Fatalf("%d columns: no table:\n%s", width, text.String())
		}
		for _, want := range []string{"made by the workload", "handed to the disks", "at the disks", "64 KiB", "sequential"} {
			if !strings.Contains(table, want) {
				t.Errorf("%d columns: %q is missing:\n%s", width, want, table)
			}
		}
		if !strings.Contains(strings.Join(strings.Fields(table), " "), sentence) {
			t.Errorf("%d columns: no sentence:\n%s", width, table)
		}
	}
	var rows bytes.Buffer
	if err := tables.CSV(&rows, a, "io"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{",application,,writes,1,16384,16384,1,,0\n", ",passed_on,,writes,", ",0.75,\n", ",device,,writes,"} {
		if strings.Count(rows.String(), want) != 2 {
			t.Errorf("%q is not there for each rung:\n%s", want, rows.String())
		}
	}
	var out bytes.Buffer
	if err := JSON(&out, a); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !json.Valid(out.Bytes()) || !strings.Contains(text, sentence) || !strings.Contains(text, `"passed_on"`) {
		t.Errorf("not in JSON: %s", text)
	}
}

// A run that counts requests at one layer only shows none.
func TestRequestsOfOneLayer(t *testing.T) {
	var text, rows bytes.Buffer
	a := onDisk(t, false)
	if err := Terminal(&text, a, 80, false); err != nil {
		t.Fatal(err)
	}
	if err := tables.CSV(&rows, a, "io"); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "Requests by layer") || strings.Count(rows.String(), "\n") != 1 {
		t.Errorf("%s\n%s", text.String(), rows.String())
	}
}
