package report

import (
	"math"
	"strconv"
	"strings"
	"time"

	"plimsoll/internal/analysis"
	"plimsoll/internal/study"
)

// missing stands for a number that is not known.
const missing = "–"

// finite says that v can be shown as a number.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// number writes v with thousands separators: whole numbers from 100 up, three
// significant digits below.
func number(v float64) string {
	if !finite(v) {
		return missing
	}
	if math.Abs(v) >= 99.95 {
		return thousands(strconv.FormatFloat(v, 'f', 0, 64))
	}
	return significant(v, 3)
}

// significant writes v with the given number of significant digits and no
// exponent. Trailing zeros after the point stay where they were measured
// (12.04 is 12.0) and go where v is exact (12 is 12).
func significant(v float64, digits int) string {
	if !finite(v) {
		return missing
	}
	if v == 0 {
		return "0"
	}
	decimals := digits - 1 - exponent(v, digits)
	if decimals <= 0 {
		scale := math.Pow(10, float64(-decimals))
		return thousands(strconv.FormatFloat(math.Round(v/scale)*scale, 'f', 0, 64))
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

// thousands puts separators into a string of digits with an optional sign.
func thousands(digits string) string {
	sign := ""
	if rest, ok := strings.CutPrefix(digits, "-"); ok {
		sign, digits = "-", rest
	}
	var b strings.Builder
	for i, r := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return sign + b.String()
}

// seconds writes a response time in the unit that suits it, three significant
// digits.
func seconds(s float64) string {
	switch {
	case !finite(s) || s < 0:
		return missing
	case s == 0:
		return "0"
	case s < 0.9995e-3:
		return significant(s*1e6, 3) + " µs"
	case s < 0.9995:
		return significant(s*1e3, 3) + " ms"
	default:
		return significant(s, 3) + " s"
	}
}

// measuredSeconds is seconds for a value where zero means "not measured".
func measuredSeconds(s float64) string {
	if s == 0 {
		return missing
	}
	return seconds(s)
}

// percent writes a fraction as a percentage with the digits it deserves: whole
// from 10 % up, two significant digits below.
func percent(fraction float64) string {
	switch p := fraction * 100; {
	case !finite(p):
		return missing
	case p < 0:
		return "−" + percent(-fraction)
	case p == 0:
		return "0 %"
	case p >= 9.95:
		return strconv.FormatFloat(p, 'f', 0, 64) + " %"
	default:
		return significant(p, 2) + " %"
	}
}

// interval writes an estimate, with its bounds when it has any, all rounded to
// the two leading digits of the half width.
func interval(i analysis.Interval, write func(float64) string) string {
	if !hasBounds(i) {
		return write(i.Value)
	}
	unit := roundingUnit((i.High - i.Low) / 2)
	round := func(v float64) string { return write(math.Round(v/unit) * unit) }
	return round(i.Value) + " (" + sharedUnit(round(i.Low), round(i.High)) + ")"
}

// sharedUnit writes a range with its unit once where both ends have the same.
func sharedUnit(low, high string) string {
	value, unit, has := strings.Cut(low, " ")
	if has && strings.HasSuffix(high, " "+unit) {
		low = value
	}
	return low + "–" + high
}

// hasBounds says that the interval is more than its value.
func hasBounds(i analysis.Interval) bool {
	return i.Confidence > 0 && finite(i.Low) && finite(i.High) && i.High > i.Low
}

// roundingUnit is the place of the second significant digit of width.
func roundingUnit(width float64) float64 {
	return math.Pow(10, math.Floor(math.Log10(width))-1)
}

// instances writes a count that may lie between whole instances; a load line
// is a promise, so it is rounded down.
func instances(v float64) string {
	if !finite(v) {
		return missing
	}
	return thousands(strconv.FormatFloat(math.Floor(v+1e-9), 'f', 0, 64))
}

// span writes a duration for people: seconds below a minute, minutes below an
// hour, otherwise hours and minutes.
func span(d time.Duration) string {
	switch d = d.Round(time.Second); {
	case d < time.Minute:
		return strconv.Itoa(int(d.Seconds())) + " s"
	case d < time.Hour:
		return joinUnits(int(d.Minutes()), "min", int(d.Seconds())%60, "s")
	default:
		d = d.Round(time.Minute)
		return joinUnits(int(d.Hours()), "h", int(d.Minutes())%60, "min")
	}
}

// joinUnits writes "2 h 5 min", leaving out a zero second part.
func joinUnits(big int, bigUnit string, small int, smallUnit string) string {
	text := strconv.Itoa(big) + " " + bigUnit
	if small != 0 {
		text += " " + strconv.Itoa(small) + " " + smallUnit
	}
	return text
}

// size writes a size with three significant digits and a binary unit.
func size(n int64) string {
	if n <= 0 {
		return missing
	}
	return spaceUnit(study.Bytes(n).Rough())
}

// spaceUnit puts a space between the number and the unit.
func spaceUnit(text string) string {
	at := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != 'e' && r != '+' })
	if at < 0 {
		return text
	}
	return text[:at] + " " + text[at:]
}

// plural writes "1 trial", "2 trials".
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return thousands(strconv.Itoa(n)) + " " + thing + "s"
}

// known writes a number for which zero means "not measured".
func known(v float64, write func(float64) string) string {
	if v == 0 {
		return missing
	}
	return write(v)
}
