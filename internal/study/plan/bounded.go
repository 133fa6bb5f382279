package plan

import "math"

// Estimates of impossible studies do not turn negative: sums and products end
// at the largest number. Their parts are not negative.

func sum[T ~int64](parts ...T) T {
	var total T
	for _, part := range parts {
		if part > math.MaxInt64-total {
			return math.MaxInt64
		}
		total += part
	}
	return total
}

func times[T ~int64](n int, each T) T {
	if each > 0 && int64(n) > math.MaxInt64/int64(each) {
		return math.MaxInt64
	}
	return T(n) * each
}

func whole[T ~int64](f float64) T {
	if f >= math.MaxInt64 {
		return math.MaxInt64
	}
	return T(f)
}
