package report

import (
	"math"
	"testing"
	"time"

	"plimsoll/internal/analysis"
)

func TestFormats(t *testing.T) {
	cases := []struct{ name, got, want string }{
		{"thousands", number(536220), "536,220"},
		{"below a hundred", number(12.04), "12.0"},
		{"exact", number(12), "12"},
		{"small", number(0.01234), "0.0123"},
		{"not a number", number(math.NaN()), "–"},
		{"negative", number(-1234), "-1,234"},
		{"rounded up", seconds(0.99996), "1.00 s"},
		{"milliseconds", seconds(0.01204), "12.0 ms"},
		{"published milliseconds", seconds(0.024), "24 ms"},
		{"microseconds", seconds(0.00035), "350 µs"},
		{"infinite", seconds(math.Inf(1)), "–"},
		{"not measured", measuredSeconds(0), "–"},
		{"percent", percent(0.97), "97 %"},
		{"small percent", percent(0.0234), "2.3 %"},
		{"smaller percent", percent(0.0011), "0.11 %"},
		{"negative percent", percent(-0.05), "−5 %"},
		{"rounded percent", percent(0.0598), "6.0 %"},
		{"cents", money(46.263), "46.26"},
		{"fractions of cents", money(0.01234), "0.0123"},
		{"no price", money(math.NaN()), "–"},
		{"span", span(41 * time.Minute), "41 min"},
		{"long span", span(3725 * time.Second), "1 h 2 min"},
		{"short span", span(59 * time.Second), "59 s"},
		{"size", size(32 << 30), "32 GiB"},
		{"odd size", size(1536<<20 + 1), "1.5 GiB"},
		{"no size", size(0), "–"},
		{"interval", interval(analysis.Interval{Value: 99262, Low: 98043, High: 100481, Confidence: 0.95}, number), "99,300 (98,000–100,500)"},
		{"exact interval", interval(exact(7), number), "7"},
	}
	for _, c := range cases {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}
