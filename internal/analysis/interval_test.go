package analysis

import (
	"encoding/json"
	"math"
	"testing"

	"plimsoll/internal/words"
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

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		words.Thousands(536220):             "536,220",
		words.Thousands(-1234.4):            "-1,234",
		words.Thousands(7):                  "7",
		words.Figures(0.01234):              "0.0123",
		words.Figures(99262.4):              "99,262",
		words.Seconds(0.2):                  "200 ms",
		words.Seconds(1.5):                  "1.5 s",
		words.Seconds(0.0000045):            "4.5 µs",
		words.Percent(0.96):                 "96 %",
		words.Percent(0.004):                "0.4 %",
		words.Count(1, "instance"):          "1 instance",
		words.Count(12, "stream"):           "12 streams",
		words.Join([]string{"a", "b", "c"}): "a, b and c",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
