package objects

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Drawn sizes have the requested median, 99th percentile and mean, and stay within the
// bounds.
func TestALognormalDistributionIsAsAsked(t *testing.T) {
	for text, median := range map[string]float64{
		"lognormal median=64KiB p99=4MiB min=4KiB max=64MiB": 64 << 10,
		"lognormal median=64KiB p99=4MiB min=32KiB max=1MiB": 64 << 10,
		"lognormal median=1kB sigma=0.5 min=1B max=100kB":    1000,
	} {
		s, err := ParseSizes(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.check(); err != nil || s.String() != text {
			t.Fatalf("%s, %v", s, err)
		}
		random, sum, all := rand.New(rand.NewPCG(1, 2)), 0.0, make([]int64, 200_000)
		for i := range all {
			all[i] = s.draw(random)
			sum += float64(all[i])
		}
		slices.Sort(all)
		near := func(what string, got, want float64) {
			if math.Abs(got/want-1) > 0.05 {
				t.Errorf("%s: %s is %.0f, want about %.0f", text, what, got, want)
			}
		}
		least, most := s.bounds()
		near("the median", float64(all[len(all)/2]), median)
		near("the mean", sum/float64(len(all)), s.mean())
		near("p99", float64(all[len(all)*99/100]), min(float64(most), median*math.Exp(p99Deviations*s.Lognormal.Sigma)))
		if all[0] < least || all[len(all)-1] > most {
			t.Errorf("%s: %d to %d bytes", text, all[0], all[len(all)-1])
		}
	}
}

func TestSizesThatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "size",
		"lognormal":                       "p99 or sigma",
		"lognormal median=64KiB p99=4MiB": "max",
		"lognormal median=64KiB max=1MiB": "p99 or sigma",
		"lognormal median=64KiB p99=4MiB sigma=1 max=1MiB":   "p99 or sigma",
		"lognormal median=64KiB p99=32KiB max=1MiB":          "above the median",
		"lognormal median=64KiB sigma=0 max=1MiB":            "sigma",
		"lognormal median=64KiB sigma=NaN max=1MiB":          "sigma",
		"lognormal median=64KiB sigma=6 max=1MiB":            "sigma",
		"lognormal median=64KiB sigma=1 max=32KiB":           "order",
		"lognormal median=64KiB sigma=1 min=1MiB max=2MiB":   "order",
		"lognormal sigma=1 max=2MiB":                         "order",
		"lognormal p99=1MiB max=2MiB":                        "order",
		"lognormal median=64KiB median=1KiB sigma=1 max=1MB": "twice",
		"lognormal median=64KiB sigma=x max=1MiB":            "invalid",
		"lognormal median=64KiB width=3 max=1MiB":            "not known",
		"lognormal median=64KiB sigma=1 max=6GiB":            "one PUT",
		"4KiB:1, 4KiB:2": "twice",
	} {
		p := defaults()
		err := p.Sizes.UnmarshalText([]byte(text))
		if err == nil {
			err = p.checkSizes()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
