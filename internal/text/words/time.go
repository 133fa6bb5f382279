package words

import (
	"strconv"
	"time"
)

// Seconds writes a time in seconds for a sentence, in the unit that suits it:
// "1.5 s", "12 ms".
func Seconds(v float64) string {
	switch {
	case v >= 1:
		return Figures(v) + " s"
	case v >= 1e-3:
		return Figures(v*1e3) + " ms"
	}
	return Figures(v*1e6) + " µs"
}

// Latency writes a response time in seconds for a table, with three significant
// digits in the unit that suits it: "12.0 ms".
func Latency(v float64) string {
	switch {
	case !finite(v) || v < 0:
		return Missing
	case v == 0:
		return "0"
	case v < 0.9995e-3:
		return Significant(v*1e6, 3) + " µs"
	case v < 0.9995:
		return Significant(v*1e3, 3) + " ms"
	default:
		return Significant(v, 3) + " s"
	}
}

// farTail is how many times the mean a p99 is worth a word in a line that has none.
const farTail = 30

// ResponseTimes writes the response times of a trial in a clause, in seconds: mean and p95,
// and p99 where that is far beyond the mean, which p95 does not show. A mean above p95 is
// said to be, since few operations make it, and has p99 as well.
func ResponseTimes(mean, p95, p99 float64) string {
	text := "mean " + Latency(mean)
	if mean > p95 {
		text += " (above p95)"
	}
	text += ", p95 " + Latency(p95)
	switch {
	case mean > 0 && p99 >= farTail*mean:
		text += ", p99 " + Latency(p99) + ", " + Figures(p99/mean) + " × the mean"
	case mean > p95 && p99 > 0:
		text += ", p99 " + Latency(p99)
	}
	return text
}

// Span writes a duration for people: seconds below a minute, minutes below an
// hour, otherwise hours and minutes.
func Span(d time.Duration) string {
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
