package analysis

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Condition is a reason to fail a comparison, for continuous integration.
type Condition struct {
	Operation string  // "order" unless named
	Metric    string  // throughput, mean, p50, p90, p95, p99, p99.9, errors
	Above     bool    // ">": the change lies above Change; else below
	Change    float64 // relative: 0.05 for +5%
	Text      string  // as written
}

var conditionPattern = regexp.MustCompile(`^\s*(?:([a-z][a-z0-9_-]*)\s+)?(throughput|mean|p50|p90|p95|p99|p99\.9|errors)\s*([<>])\s*([+-]?[0-9]*\.?[0-9]+)\s*%\s*$`)

// ParseCondition reads "p95 > +5%", "throughput < -3%", "login mean > +10%" or
// "errors > +0.1%" (of errors, the difference of the shares).
func ParseCondition(text string) (Condition, error) {
	m := conditionPattern.FindStringSubmatch(text)
	if m == nil {
		return Condition{}, fmt.Errorf("%q is not a condition: write [OPERATION] METRIC > +N%% or METRIC < -N%%, with a metric of throughput, mean, p50, p90, p95, p99, p99.9 or errors, such as \"p95 > +5%%\"", text)
	}
	v, err := strconv.ParseFloat(m[4], 64)
	if err != nil || !isFinite(v) {
		return Condition{}, fmt.Errorf("%q is not a condition: %q is not a number", text, m[4])
	}
	operation := m[1]
	if operation == "" {
		operation = "order"
	}
	return Condition{Operation: operation, Metric: m[2], Above: m[3] == ">", Change: v / 100, Text: strings.TrimSpace(text)}, nil
}

// violations lists the differences that fulfil the condition. One counts where
// the median lies beyond and the test shows a difference; where there are too
// few repetitions to show any, the median alone decides, and the text says so.
func (f Condition) violations(c *Comparison) []string {
	out := []string{}
	for i := range c.Differences {
		d := &c.Differences[i]
		if d.Operation != f.Operation || d.Metric != f.Metric || !f.beyond(d.Change.Value) {
			continue
		}
		switch d.Verdict {
		case NoDifference:
			continue
		case Untested:
			out = append(out, fmt.Sprintf("%s: %s; with %d and %d repetitions this may be chance", f.Text, c.phrase(d), d.NA, d.NB))
		default:
			out = append(out, fmt.Sprintf("%s: %s (p=%.3f)", f.Text, c.phrase(d), d.P))
		}
	}
	return out
}

func (f Condition) beyond(change float64) bool {
	if f.Above {
		return change > f.Change
	}
	return change < f.Change
}
