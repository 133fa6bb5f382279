package words

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Missing stands for a number that is not known.
const Missing = "–"

// Thousands writes a whole number with commas: 536,220.
func Thousands(v float64) string {
	if !finite(v) {
		return Missing
	}
	digits := strconv.FormatFloat(math.Abs(math.Round(v)), 'f', 0, 64)
	var b strings.Builder
	if v < 0 && digits != "0" {
		b.WriteByte('-')
	}
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// Whole is Thousands of a number of things.
func Whole[N ~int | ~int64](n N) string { return Thousands(float64(n)) }

// Figures writes a number for a sentence: three significant digits, or all of
// a whole number from 100 on; 12.04 is 12.
func Figures(v float64) string {
	if math.Abs(v) >= 100 {
		return Thousands(v)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// Number writes a number for a table: whole from 100 on, three significant
// digits below; 12.04 is 12.0.
func Number(v float64) string {
	if math.Abs(v) >= 99.95 {
		return Thousands(v)
	}
	return Significant(v, 3)
}

// Significant writes v with the given number of significant digits and no
// exponent. Trailing zeros after the point stay where they were measured
// (12.04 is 12.0) and go where v is exact (12 is 12).
func Significant(v float64, digits int) string {
	if !finite(v) {
		return Missing
	}
	if v == 0 {
		return "0"
	}
	decimals := digits - 1 - exponent(v, digits)
	if decimals <= 0 {
		scale := math.Pow(10, float64(-decimals))
		return Thousands(math.Round(v/scale) * scale)
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if rounded, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(rounded-v) < 1e-9*math.Abs(v) {
		return strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// exponent is the power of ten of v's first digit once v is rounded.
func exponent(v float64, digits int) int {
	_, text, _ := strings.Cut(strconv.FormatFloat(v, 'e', digits-1, 64), "e")
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0 // the format always has an exponent
	}
	return n
}

// Percent writes a share for a sentence: "96 %", "0.4 %".
func Percent(share float64) string {
	v := share * 100
	if math.Abs(v) >= 10 || v == 0 {
		return strconv.FormatFloat(v, 'f', 0, 64) + " %"
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + " %"
}

// PercentOf writes a share for a table: whole from 10 % up, two significant
// digits below.
func PercentOf(share float64) string {
	switch p := share * 100; {
	case !finite(p):
		return Missing
	case p < 0:
		return "−" + PercentOf(-share)
	case p == 0:
		return "0 %"
	case p >= 9.95:
		return strconv.FormatFloat(p, 'f', 0, 64) + " %"
	default:
		return Significant(p, 2) + " %"
	}
}

// Signed writes a change with its sign, the minus sign of print for one that is less.
func Signed(change float64, decimals int) string {
	return strings.Replace(fmt.Sprintf("%+.*f", decimals, change), "-", "−", 1)
}

// PercentChange writes a change with one decimal, and two where it is small:
// 81.3 %, 1.24 %.
func PercentChange(share float64) string {
	if math.Abs(share) < 0.02 {
		return fmt.Sprintf("%.2f %%", share*100)
	}
	return fmt.Sprintf("%.1f %%", share*100)
}

// Money writes a price for a sentence: whole from 100 on, two decimals below.
func Money(v float64) string {
	if v >= 100 {
		return Thousands(v)
	}
	return fmt.Sprintf("%.2f", v)
}

// Between writes a range of two figures, with their unit once where both have the same: "1–2 ms".
func Between(low, high string) string {
	value, unit, has := strings.Cut(low, " ")
	if has && strings.HasSuffix(high, " "+unit) {
		low = value
	}
	return low + "–" + high
}

// Range is Between in a sentence: "1 to 2 ms", or the figure where both are the same.
func Range(low, high string) string {
	if low == high {
		return low
	}
	value, unit, _ := strings.Cut(low, " ")
	if _, other, _ := strings.Cut(high, " "); unit == other {
		low = value
	}
	return low + " to " + high
}

// Exact writes a number with all the digits that it has: 0.5, 12.
func Exact(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
