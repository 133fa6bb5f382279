package study_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/internal/study"
)

func TestHowManyInstancesAreTolerated(t *testing.T) {
	for _, c := range []struct {
		share           study.Percentage
		instances, want int
	}{
		{0, 1000, 0}, {0.01, 1000, 10}, {0.01, 100, 1}, {0.01, 99, 0}, {0.01, 199, 1}, {0.1, 10, 1}, {0.1, 9, 0}, {0.1, 1, 0},
		{0.001, 1000, 1}, {0.001, 999, 0}, {0.07, 100, 7}, {0.003, 1000, 3}, {0.0029, 10_000, 29}, {0.01, 0, 0},
	} {
		if got := c.share.Of(c.instances); got != c.want {
			t.Errorf("%v of %d instances: %d, want %d", c.share, c.instances, got, c.want)
		}
	}
}

// Never all of them, never more than the share, and one more would be.
func TestToleranceIsAFloor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hundredths, n := rapid.IntRange(0, 1000).Draw(t, "hundredths of a per cent"), rapid.IntRange(1, 100_000).Draw(t, "instances")
		got := study.Percentage(float64(hundredths) / 10_000).Of(n)
		if got >= n || got*10_000 > hundredths*n || (got+1)*10_000 <= hundredths*n {
			t.Errorf("%d hundredths of a per cent of %d: %d", hundredths, n, got)
		}
	})
}

func TestTolerate(t *testing.T) {
	for text, want := range map[string]study.Percentage{"1 %": 0.01, "1%": 0.01, "0.5 %": 0.005, "10%": 0.1, "0": 0, "0 %": 0} {
		s, err := withLadder("{rungs: [1000]}\ntolerate: " + text)
		if err != nil || s.Tolerate != want {
			t.Errorf("%s: %v (%v), want %v", text, s, err, want)
			continue
		}
		kept, err := json.Marshal(s)
		var back study.Study
		if err == nil {
			err = json.Unmarshal(kept, &back)
		}
		if err != nil || back.Tolerate != want {
			t.Errorf("%s comes back from a plan as %v (%v)", text, back.Tolerate, err)
		}
	}
	if got := study.Percentage(0.005).String(); got != "0.5 %" {
		t.Errorf("0.005 is written %q", got)
	}
	if got := study.Percentage(0.1).String(); got != "10 %" {
		t.Errorf("0.1 is written %q", got)
	}
}

func TestTolerancesThatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		"{rungs: [10]}\ntolerate: 20 %":           "tolerate must be 0 % to 10 %, got 20 %",
		"{rungs: [10]}\ntolerate: 1":              `"1" has no percent sign`,
		"{rungs: [10]}\ntolerate: 1 percent":      "is not a percentage",
		"{rungs: [10]}\ntolerate: -1 %":           "is not a percentage",
		"{rungs: [10]}\ntolerate: [1 %]":          "tolerate",
		"{of: users, rungs: [10]}\ntolerate: 1 %": "counts the users of one instance",
	} {
		if _, err := withLadder(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
