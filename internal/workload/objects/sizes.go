package objects

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload/mix"
)

// Sizes are the sizes of objects: a mix, or a lognormal distribution if there is one.
type Sizes struct {
	Mix       mix.Sizes
	Lognormal *Lognormal
}

// Lognormal is a distribution whose logarithms are normal: most objects are small, and most
// bytes in large ones. A size beyond a bound is the bound.
type Lognormal struct {
	Median unit.Bytes
	// Sigma is the standard deviation of the natural logarithms. It is given, or follows
	// from P99, the 99th percentile of sizes.
	Sigma    float64
	P99      unit.Bytes // 0 where Sigma was given
	Min, Max unit.Bytes
}

const (
	lognormalName    = "lognormal"
	lognormalExample = "lognormal median=64KiB p99=4MiB min=4KiB max=64MiB"
	// p99Deviations is how many standard deviations above the median 99 in 100 are.
	p99Deviations = 2.3263478740408408
	mostSigma     = 5
)

// ParseSizes reads what String writes.
func ParseSizes(text string) (s Sizes, err error) {
	words := strings.Fields(text)
	if len(words) > 0 && words[0] == lognormalName {
		s.Lognormal, err = parseLognormal(words[1:])
		return s, err
	}
	s.Mix, err = mix.ParseSizes(text)
	return s, err
}

func parseLognormal(words []string) (*Lognormal, error) {
	l := &Lognormal{Min: 1}
	sizes := map[string]*unit.Bytes{"median": &l.Median, "p99": &l.P99, "min": &l.Min, "max": &l.Max}
	seen := map[string]bool{}
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		if seen[key] {
			return nil, fmt.Errorf("%s is there twice; write %s", key, lognormalExample)
		}
		seen[key] = true
		var err error
		switch at := sizes[key]; {
		case at != nil:
			*at, err = unit.ParseBytes(value)
		case key == "sigma":
			l.Sigma, err = strconv.ParseFloat(value, 64)
		default:
			err = fmt.Errorf("%q is not known", word)
		}
		if err != nil {
			return nil, fmt.Errorf("%w; write %s", err, lognormalExample)
		}
	}
	if seen["p99"] == seen["sigma"] {
		return nil, errors.New("a lognormal distribution has p99 or sigma; write " + lognormalExample)
	}
	if seen["p99"] {
		l.Sigma = math.Log(float64(l.P99)/float64(l.Median)) / p99Deviations
	}
	return l, nil
}

// String writes the sizes as a study does.
func (s Sizes) String() string {
	if s.Lognormal == nil {
		return s.Mix.String()
	}
	return s.Lognormal.written(unit.Bytes.String)
}

func (l *Lognormal) written(size func(unit.Bytes) string) string {
	spread := "p99=" + size(l.P99)
	if l.P99 == 0 {
		spread = fmt.Sprintf("sigma=%g", l.Sigma)
	}
	return fmt.Sprintf("%s median=%s %s min=%s max=%s", lognormalName, size(l.Median), spread, size(l.Min), size(l.Max))
}

// MarshalText writes the sizes exactly.
func (s Sizes) MarshalText() ([]byte, error) {
	if s.Lognormal == nil {
		return s.Mix.MarshalText()
	}
	return []byte(s.Lognormal.written(unit.Bytes.Exact)), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Sizes) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSizes(string(text))
	return err
}

// check says what of the sizes themselves is wrong.
func (s Sizes) check() error {
	if s.Lognormal != nil {
		return s.Lognormal.check()
	}
	if len(s.Mix) == 0 {
		return errors.New("must have at least one size, such as 64KiB")
	}
	for i, one := range s.Mix {
		same := func(o mix.Size) bool { return o.Bytes == one.Bytes }
		switch {
		case !mix.Valid(one.Weight):
			return fmt.Errorf("the weight of %s must be above 0, got %v", unit.Bytes(one.Bytes), one.Weight)
		case slices.ContainsFunc(s.Mix[:i], same):
			return fmt.Errorf("%s is there twice", unit.Bytes(one.Bytes))
		}
	}
	return nil
}

func (l *Lognormal) check() error {
	switch {
	case l.Max == 0:
		return errors.New("a lognormal distribution needs max, the largest size that may occur; write " + lognormalExample)
	case l.Min < 1 || l.Median < l.Min || l.Max < l.Median:
		return fmt.Errorf("of a lognormal distribution, min (%s), median (%s) and max (%s) must come in that order", l.Min, l.Median, l.Max)
	case l.P99 != 0 && l.P99 <= l.Median:
		return fmt.Errorf("p99 (%s) must be above the median (%s)", l.P99, l.Median)
	case !(l.Sigma > 0 && l.Sigma <= mostSigma):
		return fmt.Errorf("sigma must be above 0 and at most %d, got %.3g", mostSigma, l.Sigma)
	}
	return nil
}

// bounds are the smallest and the largest size of those that pass check.
func (s Sizes) bounds() (least, most int64) {
	if l := s.Lognormal; l != nil {
		return int64(l.Min), int64(l.Max)
	}
	least = math.MaxInt64
	for _, one := range s.Mix {
		least = min(least, one.Bytes)
	}
	return least, s.Mix.Largest()
}

// draw returns a size.
func (s Sizes) draw(random *rand.Rand) int64 {
	l := s.Lognormal
	if l == nil {
		return s.Mix[s.Mix.Draw(random)].Bytes
	}
	drawn := float64(l.Median) * math.Exp(l.Sigma*random.NormFloat64())
	return int64(min(max(math.Round(drawn), float64(l.Min)), float64(l.Max)))
}

// mean returns the expected size of an object, in bytes.
func (s Sizes) mean() float64 {
	if s.Lognormal != nil {
		return s.Lognormal.mean()
	}
	bytes, weights := 0.0, 0.0
	for _, one := range s.Mix {
		bytes += float64(one.Bytes) * one.Weight
		weights += one.Weight
	}
	return bytes / weights
}

// mean is the integral over the density, in the three parts below, between and above the bounds.
func (l *Lognormal) mean() float64 {
	below := func(deviations float64) float64 { return math.Erfc(-deviations/math.Sqrt2) / 2 }
	at := func(size unit.Bytes) float64 { return math.Log(float64(size)/float64(l.Median)) / l.Sigma }
	least, most := at(l.Min), at(l.Max)
	between := float64(l.Median) * math.Exp(l.Sigma*l.Sigma/2) * (below(most-l.Sigma) - below(least-l.Sigma))
	return float64(l.Min)*below(least) + between + float64(l.Max)*(1-below(most))
}
