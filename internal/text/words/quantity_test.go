package words_test

import (
	"math"
	"testing"
	"time"

	"plimsoll/internal/text/words"
)

func TestQuantities(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"thousands", words.Thousands(1234567), "1,234,567"},
		{"below a thousand", words.Thousands(999), "999"},
		{"negative thousands", words.Thousands(-1234), "-1,234"},
		{"minus zero", words.Thousands(-0.2), "0"},
		{"not a number of thousands", words.Thousands(math.NaN()), "–"},
		{"figures", words.Figures(12.04), "12"},
		{"figures of a large number", words.Figures(536220.4), "536,220"},
		{"number", words.Number(536220), "536,220"},
		{"below a hundred", words.Number(12.04), "12.0"},
		{"exact", words.Number(12), "12"},
		{"small", words.Number(0.01234), "0.0123"},
		{"not a number", words.Number(math.NaN()), "–"},
		{"infinite", words.Number(math.Inf(1)), "–"},
		{"percent in a sentence", words.Percent(0.004), "0.4 %"},
		{"large percent in a sentence", words.Percent(0.96), "96 %"},
		{"percent", words.PercentOf(0.97), "97 %"},
		{"small percent", words.PercentOf(0.0234), "2.3 %"},
		{"smaller percent", words.PercentOf(0.0011), "0.11 %"},
		{"negative percent", words.PercentOf(-0.05), "−5 %"},
		{"rounded percent", words.PercentOf(0.0598), "6.0 %"},
		{"change", words.PercentChange(0.0124), "1.24 %"},
		{"seconds in a sentence", words.Seconds(0.012), "12 ms"},
		{"rounded up", words.Latency(0.99996), "1.00 s"},
		{"milliseconds", words.Latency(0.01204), "12.0 ms"},
		{"published milliseconds", words.Latency(0.024), "24 ms"},
		{"microseconds", words.Latency(0.00035), "350 µs"},
		{"infinite seconds", words.Latency(math.Inf(1)), "–"},
		{"span", words.Span(41 * time.Minute), "41 min"},
		{"long span", words.Span(3725 * time.Second), "1 h 2 min"},
		{"short span", words.Span(59 * time.Second), "59 s"},
		{"memory", words.Binary(32 << 30), "32 GiB"},
		{"odd memory", words.Binary(1536<<20 + 1), "1.5 GiB"},
		{"bytes of memory", words.Binary(512), "512 B"},
		{"medium", words.Bytes(1.8e9), "1.8 GB"},
		{"small file", words.Bytes(5e4), "50 kB"},
		{"none", words.Count(0, "run"), "no runs"},
		{"one", words.Count(1, "run"), "1 run"},
		{"many", words.Count(1200, "run"), "1,200 runs"},
		{"irregular plural", words.CountOf(2, "query", "queries"), "2 queries"},
		{"list", words.Join([]string{"a", "b", "c"}), "a, b and c"},
		{"sentences", words.Sentences("One", "", "Two."), "One. Two."},
		{"capital", words.Capital("ärger"), "Ärger"},
		{"lower", words.Lower("The rest"), "the rest"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}
