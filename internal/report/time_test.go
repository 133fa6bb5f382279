package report

import (
	"bytes"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/report/tables"
)

// onDisk is a ladder that waits for its disk.
func onDisk(t *testing.T, uncounted bool) *analysis.Analysis {
	t.Helper()
	run := analysistest.Timed{
		At: 1, Busy: 0.9, Rungs: []int{1, 2, 3, 4}, Repetitions: 2, Noise: 0.01, Uncounted: uncounted,
		Stations: []analysistest.TimedStation{
			{Demand: 0.002, Servers: 8, Inside: "running", Waiting: "cpu_wait", CPU: true},
			{Inside: "device_wait", Waiting: "device_wait", Wait: "data read", Device: "vda"},
		},
	}.Run(1)
	a, err := analysis.Analyse(run, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestTimeInTables(t *testing.T) {
	for width, wants := range map[int][]string{80: {"time", "1", "2", "3", "4"}, 44: {"time", "1", "4"}} {
		var text bytes.Buffer
		if err := Terminal(&text, onDisk(t, false), width, false); err != nil {
			t.Fatal(err)
		}
		_, table, found := strings.Cut(text.String(), "What an order spends its time on with v, by")
		if !found {
			t.Fatalf("no table of times:\n%s", text.String())
		}
		for _, row := range []string{"running db", "waiting for disk vda (v)", "accounted for", "mean response time"} {
			if !strings.Contains(table, row) {
				t.Errorf("%d columns: %q is missing:\n%s", width, row, table)
			}
		}
		for line := range strings.Lines(table) {
			if fields := strings.Fields(line); len(fields) > 0 && fields[0] == "time" && strings.Join(fields, " ") != strings.Join(wants, " ") {
				t.Errorf("%d columns: %q, want %q", width, fields, wants)
			}
		}
	}
	var rows bytes.Buffer
	if err := tables.CSV(&rows, onDisk(t, false), "time"); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(rows.String(), "db,device_wait,data read,disk vda (v),"); n != 4 {
		t.Errorf("%d rows of the named wait:\n%s", n, rows.String())
	}
}

// Why has the components at the two rungs that are compared, with intervals and shares.
func TestWhyWalksTheTime(t *testing.T) {
	var text bytes.Buffer
	if err := Why(&text, onDisk(t, false), 100, false); err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(text.String(), "time ")
	if !found {
		t.Fatalf("no table:\n%s", text.String())
	}
	for _, want := range []string{"at 3", "at 4", "growth", "share", "waiting for disk vda (v)", "  data read", "unexplained", "accounted for", "mean response time", " (", "+"} {
		if !strings.Contains(table, want) {
			t.Errorf("%q is missing:\n%s", want, text.String())
		}
	}
}

// Where states of threads were not counted, the table has only the queue, and the text none.
func TestTimeOfQueuesAlone(t *testing.T) {
	a := onDisk(t, true)
	var text, rows bytes.Buffer
	if err := Terminal(&text, a, 80, false); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "spends its time on") {
		t.Errorf("%s", text.String())
	}
	if err := tables.CSV(&rows, a, "time"); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(rows.String(), ",,device_wait,,disk vda (v),"); n != 4 {
		t.Errorf("%d rows:\n%s", n, rows.String())
	}
}
