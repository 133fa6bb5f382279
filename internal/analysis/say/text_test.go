package say

import (
	"math"
	"testing"
)

func TestQuantitiesInWords(t *testing.T) {
	for got, want := range map[string]string{
		Growth(-0.3):                       "30 %",
		Growth(1e6):                        "more than 10,000 %",
		AboveOrBelow(0.12):                 "12 % above",
		AboveOrBelow(-0.4):                 "40 % below",
		AboveOrBelow(1e9):                  "more than 10,000 % above",
		Times(2.14, 2):                     "2.1",
		Times(1e9, 2):                      "more than 1,000",
		Times(math.Inf(1), 3):              "more than 1,000",
		Count(0, "trial"):                  "no trials",
		Count(1, "trial"):                  "1 trial",
		CountOf(1200, "query", "queries"):  "1,200 queries",
		Join(nil):                          "",
		Join([]string{"a"}):                "a",
		Join([]string{"a", "b", "c"}):      "a, b and c",
		A("order"):                         "an order",
		A("file"):                          "a file",
		F("%s is %d %% full", "`hdd`", 12): "`hdd` is 12 % full",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
