package analysis

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// count writes "1 instance" or "12 instances".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%s %ss", thousands(float64(n)), noun)
}

// countInterval writes "12" or "12 (11–13)".
func countInterval(i Interval) string {
	if i.Confidence == 0 {
		return thousands(i.Value)
	}
	return rangeText(i)
}

// rangeText writes "128 (120–128)", whatever the bounds rest on.
func rangeText(i Interval) string {
	switch {
	case i.Low == i.High:
		return thousands(i.Value)
	case math.IsInf(i.High, 1):
		return fmt.Sprintf("%s (%s or more)", thousands(i.Value), thousands(i.Low))
	}
	return fmt.Sprintf("%s (%s–%s)", thousands(i.Value), thousands(i.Low), thousands(i.High))
}

// thousands writes a whole number with commas: 536,220.
func thousands(v float64) string {
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

// figures writes a number with the digits that it deserves: three significant
// ones, or all of a whole number from 100 on.
func figures(v float64) string {
	if math.Abs(v) >= 100 {
		return thousands(v)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// seconds writes a time in the unit that suits it.
func seconds(v float64) string {
	switch {
	case v >= 1:
		return figures(v) + " s"
	case v >= 1e-3:
		return figures(v*1e3) + " ms"
	}
	return figures(v*1e6) + " µs"
}

// percent writes a share: "96 %", "0.4 %".
func percent(share float64) string {
	v := share * 100
	if math.Abs(v) >= 10 || v == 0 {
		return strconv.FormatFloat(v, 'f', 0, 64) + " %"
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + " %"
}

// join writes a list as "a, b and c".
func join(items []string) string {
	switch len(items) {
	case 0:
		return ""
	case 1:
		return items[0]
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}

// sentences joins texts, each of which gets its full stop; empty ones are left
// out.
func sentences(texts ...string) string {
	var out []string
	for _, t := range texts {
		if t != "" {
			out = append(out, strings.TrimSuffix(t, ".")+".")
		}
	}
	return strings.Join(out, " ")
}
