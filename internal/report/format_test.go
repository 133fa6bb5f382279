package report

import (
	"math"
	"testing"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/text/words"
)

func TestFormats(t *testing.T) {
	cases := []struct{ name, got, want string }{
		{"not measured", measuredSeconds(0), "–"},
		{"cents", money(46.263), "46.26"},
		{"fractions of cents", money(0.01234), "0.0123"},
		{"no price", money(math.NaN()), "–"},
		{"size", size(32 << 30), "32 GiB"},
		{"odd size", size(1536<<20 + 1), "1.5 GiB"},
		{"no size", size(0), "–"},
		{"interval", spanText(stats.Interval{Value: 99262, Low: 98043, High: 100481, Confidence: 0.95}, words.Number), "99,300 (98,000–100,500)"},
		{"not steady", spanText(stats.Interval{Value: 2551, Low: 1921, High: 2725, Extremes: true, Changing: true}, words.Number), "1,920–2,730 (not steady)"},
		{"exact interval", spanText(exact(7), words.Number), "7"},
	}
	for _, c := range cases {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}
