package disk

import (
	"strings"
	"testing"
	"time"

	"plimsoll/internal/storage/medium"
)

func TestAMediumIsDoubtedByTheTimeThatItLost(t *testing.T) {
	before := medium.Lateness{Requests: 1000, Late: 900, Sum: time.Second, Span: 2 * time.Second}
	after := func(requests, late int64, behind, span time.Duration) medium.Lateness {
		return medium.Lateness{Requests: 1000 + requests, Late: 900 + late, Sum: time.Second + behind, Span: 2*time.Second + span}
	}
	for name, c := range map[string]struct {
		now  medium.Lateness
		want string
	}{
		"on time":               {after(500, 0, 10*time.Millisecond, 5*time.Second), ""},
		"some late by a little": {after(500, 90, 200*time.Millisecond, 5*time.Second), ""},
		"behind in all":         {after(500, 90, 600*time.Millisecond, 5*time.Second), "late for 18 % of 500 requests, and took 12 % longer"},
		"too few to say":        {after(7, 1, 50*time.Millisecond, 100*time.Millisecond), ""},
		"idle":                  {before, ""},
	} {
		got := doubts(before, c.now)
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0].Said.Text, c.want) || got[0].Lost != c.now.Sum-before.Sum) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
