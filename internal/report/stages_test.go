package report

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/report/tables"
)

// Work that moves data through stages has a table of them in the order of the way, and other work
// none.
func TestStagesHaveTables(t *testing.T) {
	a := liveFixture()
	var b strings.Builder
	if err := Markdown(&b, a); err != nil || strings.Contains(b.String(), "Stages of the way") {
		t.Errorf("work without stages has a table of them: %v", err)
	}
	r := &a.Variants[0].Rungs[len(a.Variants[0].Rungs)-1]
	r.Resources = append(r.Resources,
		resource.Resource{Kind: resource.WayStage, Name: "stage send of the source", Utilisation: 0.97, Demand: 1.5, Step: &resource.Step{Side: "source", Name: "send", Place: 1, Bytes: 2e9, Busy: 0.97, Starved: 0.03, Named: true}},
		resource.Resource{Kind: resource.WayStage, Name: "stage read of the source", Utilisation: 0.2, Demand: 0.3, Step: &resource.Step{Side: "source", Name: "read", Bytes: 2e9, Busy: 0.2, Blocked: 0.8, First: true}})
	a.Variants[0].LoadLine.Next = r.Instances
	b.Reset()
	if err := Markdown(&b, a); err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(b.String(), "Stages of the way")
	read, send := strings.Index(table, "| read | source | 2 GB | 300 ms | 20 % | 0 % | 80 % |  |"), strings.Index(table, "| send | source | 2 GB | 1.5 s | 97 % | 3.0 % | 0 % | yes |")
	if read < 0 || send < read {
		t.Errorf("the table is %.900s", table)
	}
	var text bytes.Buffer
	if err := tables.CSV(&text, a, "stages"); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&text).ReadAll()
	if err != nil || len(rows) != 3 || !slices.Equal(rows[2][3:], []string{"1", "source", "send", "2000000000", "1.5", "0.97", "0.03", "0", "yes"}) {
		t.Errorf("rows are %v, %v", rows, err)
	}
}
