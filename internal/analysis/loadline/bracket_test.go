package loadline

import (
	"encoding/json"
	"strings"
	"testing"

	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
)

// JSON has the bracket of a line; the interval of the repetitions does not change that.
func TestBracketInJSON(t *testing.T) {
	for want, l := range map[string]LoadLine{
		`{"text":"","low":8,"high":15}`: {Rung: 8, Next: 16, Count: stats.Interval{Low: 4, High: 15, Confidence: 0.95}},
		`{"text":"","low":8}`:           {Rung: 8, Next: 9},
		`{"text":"","low":1024}`:        {Rung: 1024, Open: true},
		`{"text":"","high":4}`:          {Next: 4},
		`{"text":"","low":996}`:         {Rung: 1000, Ran: 996, Open: true},
		`{"text":"","low":2,"high":7}`:  {Rung: 4, Next: 8, Shown: 2, Rising: &rung.UnsteadyTrial{}},
		`{"text":""}`:                   {Unmeasured: true},
	} {
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), `"bracket":`+want) {
			t.Errorf("no bracket %s in %s", want, text)
		}
	}
}
