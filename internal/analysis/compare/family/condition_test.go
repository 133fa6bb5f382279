package family

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis/stats"
)

func TestParseCondition(t *testing.T) {
	for text, want := range map[string]Condition{
		"p95 > +5%":          {Metric: "p95", Above: true, Change: 0.05},
		"throughput < -3%":   {Metric: "throughput", Change: -0.03},
		"login p99.9>10 %":   {Operation: "login", Metric: "p99.9", Above: true, Change: 0.1},
		"  errors > +0.1%  ": {Metric: "errors", Above: true, Change: 0.001},
	} {
		got, err := ParseCondition(text)
		want.Text = strings.TrimSpace(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "p95", "p95 > 5", "speed > 5%", "p95 >= 5%", "p95 > %", "p95 > .%", "p95 > +-5%"} {
		if _, err := ParseCondition(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func FuzzParseCondition(f *testing.F) {
	f.Add("p95 > +5%")
	f.Add("login mean < -1.5 %")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := ParseCondition(text); err == nil && (c.Metric == "" || !stats.IsFinite(c.Change)) {
			t.Errorf("%q became %+v", text, c)
		}
	})
}
