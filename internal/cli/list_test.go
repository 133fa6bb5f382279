package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"plimsoll/internal/result/resulttest"
)

// A list has the names that other commands take, and what each run found.
func TestListSaysWhatRunsFound(t *testing.T) {
	s := newSite(t)
	const name = "20261125-101500-disks"
	if err := resulttest.Run("runs/"+name, []string{"ssd", "hdd"}, []int{1, 4}, 2, 30); err != nil {
		t.Fatal(err)
	}
	code, out, errs := s.plimsoll("list")
	if code != 0 || strings.Contains(out, "runs/"+name) {
		t.Fatalf("code %d: %s%s", code, out, errs)
	}
	head, row, _ := strings.Cut(out, "\n")
	if got := strings.Fields(head); strings.Join(got, " ") != "RUN TRIALS STATE GRADE VERDICT" {
		t.Errorf("columns %v", got)
	}
	if fields := strings.Fields(row); fields[0] != name || !strings.Contains(row, "Within ") {
		t.Errorf("%q", row)
	}
	if code, out, errs := s.plimsoll("show", name); code != 0 {
		t.Errorf("code %d: %s%s", code, out, errs)
	}
	_, out, _ = s.plimsoll("list", "--json")
	var all []map[string]any
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all) != 1 {
		t.Fatalf("%v: %s", err, out)
	}
	for _, field := range []string{"name", "dir", "state", "grade", "verdict"} {
		if all[0][field] == nil || all[0][field] == "" {
			t.Errorf("%s is missing in %v", field, all[0])
		}
	}
}
