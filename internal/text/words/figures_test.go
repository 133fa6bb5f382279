package words

import (
	"testing"
)

func TestFiguresAsReadersHaveThem(t *testing.T) {
	for got, want := range map[string]string{
		Thousands(536220):             "536,220",
		Thousands(-1234.4):            "-1,234",
		Thousands(7):                  "7",
		Figures(0.01234):              "0.0123",
		Figures(99262.4):              "99,262",
		Seconds(0.2):                  "200 ms",
		Seconds(1.5):                  "1.5 s",
		Seconds(0.0000045):            "4.5 µs",
		Percent(0.96):                 "96 %",
		Percent(0.004):                "0.4 %",
		Count(1, "instance"):          "1 instance",
		Count(12, "stream"):           "12 streams",
		Join([]string{"a", "b", "c"}): "a, b and c",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
