package report

import (
	"strings"
	"testing"
)

// Where a published ladder is scaled, rows name both counts and the note says how they
// correspond.
func TestAScaledLadderNamesBothCounts(t *testing.T) {
	a := heldFixture()
	published := &a.Against[len(a.Against)-1]
	if note := againstNote(published, "OPM"); strings.Contains(note, "either side") {
		t.Errorf("nothing is scaled: %q", note)
	}
	for i, r := range published.Counterparts[0].Rungs {
		published.Counterparts[0].Rungs[i].Theirs = 25 * r.Instances
	}
	rows := againstTable(a, published).rows
	if len(rows) != 3 || rows[1][1].text != "8 against 200" {
		t.Errorf("%v", rows)
	}
	if note := againstNote(published, "OPM"); !strings.Contains(note, "as many times the first") {
		t.Errorf("%q", note)
	}
}
