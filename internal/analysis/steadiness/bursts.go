package steadiness

import (
	"time"

	"plimsoll/internal/result"
)

// InBursts keeps the seconds of the measured phase that lie wholly within bursts and not
// at their beginning, of a load that has some: what happens between them is what the study
// asked for. Stalls are not looked for there.
func InBursts(rate []float64, t *result.Trial) (kept []float64) {
	b := t.Variant.Load.Bursts
	for second, v := range rate {
		since := time.Duration((t.WarmupSeconds+float64(second))*float64(time.Second)) - b.Offset.D()
		into := ((since % b.Every.D()) + b.Every.D()) % b.Every.D()
		if into >= time.Second && into+time.Second <= b.On.D() {
			kept = append(kept, v)
		}
	}
	return kept
}
