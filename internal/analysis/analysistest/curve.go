package analysistest

import "math"

// Curve is a mean response time in seconds by the number of instances.
type Curve func(instances int) float64

// Constant is the same at every count.
func Constant(seconds float64) Curve { return func(int) float64 { return seconds } }

// Step is low up to the count last, and high above it.
func Step(low, high float64, last int) Curve {
	return func(n int) float64 {
		if n <= last {
			return low
		}
		return high
	}
}

// Knee is flat up to the count at, and grows in proportion above it, as a
// closed system does once a resource is saturated.
func Knee(low float64, at int) Curve {
	return func(n int) float64 { return low * max(1, float64(n)/float64(at)) }
}

// MM1 grows as an open queue with one server: service / (1 - n/capacity). From
// the capacity on it is a thousand services.
func MM1(service, capacity float64) Curve {
	return func(n int) float64 {
		if free := 1 - float64(n)/capacity; free > 1e-3 {
			return service / free
		}
		return 1000 * service
	}
}

// Power is the first count's time, growing with a power of the count.
func Power(first, exponent float64) Curve {
	return func(n int) float64 { return first * math.Pow(float64(n), exponent) }
}

// Times is the curve scaled at one count, or at all of them where at is 0.
func (c Curve) Times(factor float64, at int) Curve {
	return func(n int) float64 {
		if at == 0 || n == at {
			return c(n) * factor
		}
		return c(n)
	}
}

// Line is the largest count up to most whose time is within the limit, all
// smaller ones being so, too: the true load line.
func (c Curve) Line(limit float64, most int) int {
	for n := 1; n <= most; n++ {
		if c(n) > limit*(1+1e-9) { // a limit that is met exactly is kept
			return n - 1
		}
	}
	return most
}
