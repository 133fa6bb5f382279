package analysistest

import (
	"math"
	"math/rand/v2"
)

// Excursions are series of so many seconds that leave a level and come back; those without a kind
// change the mean by less than noise does.
func Excursions(seconds int) []Course {
	share := func(i int) float64 { return (float64(i) + 0.5) / float64(seconds) }
	between := func(from, to, level float64) func(int) float64 {
		return func(i int) float64 {
			if x := share(i); x >= from && x < to {
				return 1000 * level
			}
			return 1000
		}
	}
	return []Course{
		{"falls by 25 % to the middle and recovers, as a V", "dip", func(i int) float64 { return 1000 * (0.75 + 0.5*math.Abs(share(i)-0.5)) }},
		{"rises by 25 % to the middle and falls back, as a hump", "burst", func(i int) float64 { return 1000 * (1.25 - 0.5*math.Abs(share(i)-0.5)) }},
		{"rises by 25 % and falls back, as half a sine", "burst", func(i int) float64 { return 1000 * (1 + 0.25*math.Sin(math.Pi*share(i))) }},
		{"swings by 25 % either way once, as a sine", "wave", func(i int) float64 { return 1000 * (1 + 0.25*math.Sin(2*math.Pi*share(i))) }},
		{"falls by 25 % for a tenth of the phase, at its beginning", "warm-up", between(0, 0.1, 0.75)},
		{"… in its middle", "dip", between(0.45, 0.55, 0.75)},
		{"… near its end", "dip", between(0.85, 0.95, 0.75)},
		{"falls by 25 % for seven tenths of the phase", "dip", between(0.15, 0.85, 0.75)},
		{"falls by 10 % for a fiftieth of the phase, which changes the mean by 0.2 %", "", between(0.6, 0.62, 0.9)},
	}
}

// Response is a made-up course of response times, exponentially distributed about their mean, of
// 30 units of work in a second.
type Response struct {
	Name    string
	Steady  bool
	Seconds int
	Mean    func(second int) float64 // s
	// Heavy draws from a log-normal distribution with σ = 1.2. Carried is the lag-1
	// autocorrelation of a second's noise, which is a tenth of the mean.
	Heavy   bool
	Carried float64
}

// Responses are some courses of response times over so many seconds.
func Responses(seconds int) []Response {
	share := func(i int) float64 { return (float64(i) + 0.5) / float64(seconds) }
	level := func(int) float64 { return 0.08 }
	all := []Response{
		{Name: "stays", Steady: true, Mean: level},
		{Name: "stays, with long tails", Steady: true, Mean: level, Heavy: true},
		{Name: "stays, with noise of 10 % of which 0.6 is carried on", Steady: true, Mean: level, Carried: 0.6},
		{Name: "doubles for 3 s every 30 s, as with checkpoints", Steady: true, Mean: func(i int) float64 {
			if i%30 < 3 {
				return 0.16
			}
			return 0.08
		}},
		{Name: "rises from 10 to 160 ms in a line", Mean: func(i int) float64 { return 0.01 + 0.15*share(i) }},
		{Name: "doubles in a line", Mean: func(i int) float64 { return 0.06 * (1 + share(i)) }},
		{Name: "doubles half way", Mean: func(i int) float64 { return 0.06 * (1 + math.Round(share(i))) }},
		{Name: "doubles to the middle and comes back", Mean: func(i int) float64 { return 0.06 * (2 - 2*math.Abs(share(i)-0.5)) }},
	}
	for i := range all {
		all[i].Seconds = seconds
	}
	return all
}

// Series is the work done in each second, and its mean response time.
func (r Response) Series(seed uint64) (done, mean []float64) {
	random := rand.New(rand.NewPCG(seed, 31))
	const units, sigma = 30, 1.2
	noise := random.NormFloat64()
	for second := range r.Seconds {
		sum, off := 0.0, 1.0
		if r.Carried > 0 {
			off = 1 + 0.1*noise
			noise = r.Carried*noise + math.Sqrt(1-r.Carried*r.Carried)*random.NormFloat64()
		}
		for range units {
			if r.Heavy {
				sum += math.Exp(sigma*random.NormFloat64() - sigma*sigma/2)
			} else {
				sum += random.ExpFloat64()
			}
		}
		done, mean = append(done, units), append(mean, r.Mean(second)*off*sum/units)
	}
	return done, mean
}
