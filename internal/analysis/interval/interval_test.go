package interval

import (
	"encoding/json"
	"math"
	"testing"
)

func TestBoundsThatDoNotExistAreNull(t *testing.T) {
	for want, i := range map[string]Interval{
		`{"value":6,"low":null,"high":null}`:                Exactly(6),
		`{"value":6,"low":5,"high":7,"confidence":0.95}`:    {Value: 6, Low: 5, High: 7, Confidence: 0.95},
		`{"value":6,"low":5,"high":null,"confidence":0.95}`: {Value: 6, Low: 5, High: math.Inf(1), Confidence: 0.95},
		`{"value":null,"low":null,"high":null}`:             {Value: math.NaN()},
	} {
		got, err := json.Marshal(i)
		if err != nil || string(got) != want {
			t.Errorf("%s, want %s, %v", got, want, err)
		}
	}
	if got, err := json.Marshal(Point{N: 2, Value: 3, Low: 1, High: math.Inf(1)}); err != nil || string(got) != `{"n":2,"value":3,"low":1,"high":null}` {
		t.Errorf("%s, %v", got, err)
	}
}
