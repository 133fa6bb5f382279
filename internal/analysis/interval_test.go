package analysis

import (
	"encoding/json"
	"math"
	"testing"
)

func TestBoundsThatDoNotExistAreNull(t *testing.T) {
	for want, i := range map[string]Interval{
		`{"value":6,"low":null,"high":null}`:                exactly(6),
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

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		thousands(536220):             "536,220",
		thousands(-1234.4):            "-1,234",
		thousands(7):                  "7",
		figures(0.01234):              "0.0123",
		figures(99262.4):              "99,262",
		seconds(0.2):                  "200 ms",
		seconds(1.5):                  "1.5 s",
		seconds(0.0000045):            "4.5 µs",
		percent(0.96):                 "96 %",
		percent(0.004):                "0.4 %",
		count(1, "instance"):          "1 instance",
		count(12, "stream"):           "12 streams",
		join([]string{"a", "b", "c"}): "a, b and c",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
