package result

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// Exclusion is an instance that failed by itself, and without which its trial went on, as the
// study tolerates. No figure of the measured phase has anything of it, and it was not audited.
type Exclusion struct {
	Member   string `json:"member,omitempty"` // whose instance it is
	Instance int    `json:"instance"`         // its number
	// Node is the machine that it was on; empty where the platform does not tell, or where
	// it failed before anything was observed.
	Node string `json:"node,omitempty"`
	// Stage of the trial in which it failed: provision, start (until the drivers' common
	// start), drive.
	Stage string `json:"stage"`
	// Phase is the phase of the load; empty if the instance failed before users were at
	// work, or after the measured phase.
	Phase  Phase     `json:"phase,omitempty"`
	At     time.Time `json:"at"`     // when it was set aside
	Reason string    `json:"reason"` // why it failed
}

// Whose names the instance in sentences.
func (s Exclusion) Whose() string { return Evidence{Member: s.Member, Instance: s.Instance}.Whose() }

// When names the part of the trial in which it failed, to follow "failed".
func (s Exclusion) When() string {
	switch {
	case s.Stage == StageProvision:
		return "while it got its data"
	case s.Stage == StageDrive && s.Phase == Measure:
		return "in the measured phase"
	case s.Stage == StageDrive && s.Phase != "":
		return "in the " + map[Phase]string{Ramp: "ramp", Warmup: "warm-up"}[s.Phase]
	case s.Stage == StageDrive:
		return "after the measured phase"
	}
	return "before users were at work"
}

// Briefly is the first line of the reason: a log may follow.
func (s Exclusion) Briefly() string {
	line, _, _ := strings.Cut(s.Reason, "\n")
	if line = strings.TrimRight(line, ": "); len(line) > longestReason {
		line = strings.ToValidUTF8(line[:longestReason], "") + "..."
	}
	return line
}

// longestReason is how much of a line of a reason is shown, in bytes.
const longestReason = 240

// Ran is how many instances of a trial of one application worked to the end.
func (t *Trial) Ran() int { return t.Rung - len(t.SetAside) }

// checkSetAside refuses excluded instances that do not exist.
func (t *Trial) checkSetAside() error {
	if len(t.SetAside) > 0 && t.Ran() < 1 {
		return fmt.Errorf("says that %d of %d instances were set aside", len(t.SetAside), t.Rung)
	}
	for n, s := range t.SetAside {
		if s.Instance < 0 || s.Instance >= t.Rung || slices.ContainsFunc(t.SetAside[:n], func(o Exclusion) bool { return o.Instance == s.Instance }) {
			return fmt.Errorf("sets instance %d of %d aside, which there is not, or twice", s.Instance, t.Rung)
		}
	}
	return nil
}

// exclusions sums up the work of excluded instances, to be subtracted from totals. The series
// by second still include it, because records of a second do not tell instances apart.
type exclusions struct {
	instances  map[int]bool
	operations map[string]*excludedOperation
	waiting    waitingTotal
}

type excludedOperation struct {
	count, rolledBack, bytes int64
	errors                   map[string]int64
	times                    *hdr.Histogram
}

func (l *exclusions) operation(name string) *excludedOperation {
	o := l.operations[name]
	if o == nil {
		if l.operations == nil {
			l.operations = map[string]*excludedOperation{}
		}
		o = &excludedOperation{errors: map[string]int64{}, times: NewHistogram()}
		l.operations[name] = o
	}
	return o
}

// add takes the final record of an instance.
func (l *exclusions) add(whole string, r *InstanceRecord) error {
	parts := map[string]PartRecord{whole: {Count: r.Count, RolledBack: r.RolledBack, Errors: r.Errors, Histogram: r.Histogram}}
	maps.Copy(parts, r.Operations)
	for name, p := range parts {
		o := l.operation(name)
		if _, err := addTo(o.times, p.Histogram); err != nil {
			return fmt.Errorf("operation %q of instance %d: %w", name, r.Instance, err)
		}
		o.count, o.rolledBack = o.count+p.Count, o.rolledBack+p.RolledBack
		for class, n := range p.Errors {
			o.errors[class] += n
		}
	}
	l.operation(whole).bytes += r.Bytes
	if r.Waiting == nil {
		return nil
	}
	return l.waiting.add(r.Waiting)
}

// leaveOut takes what was set aside out of the sums.
func (c *collector) leaveOut() {
	for name, left := range c.left.operations {
		if o := c.operations[name]; o != nil {
			o.leaveOut(left)
		}
	}
	c.waiting.leaveOut(c.left.waiting)
}

func (o *operationTotal) leaveOut(left *excludedOperation) {
	o.closeSecond()
	before := o.whole.TotalCount()
	o.whole = less(o.whole, left.times)
	// A unit that ended with its second may be in the sums of the next one, which are of no
	// phase: what was not there cannot be taken out.
	gone := before - o.whole.TotalCount()
	rolledBack := min(left.rolledBack, o.sum.RolledBack, gone)
	o.sum.RolledBack -= rolledBack
	o.sum.Count -= gone - rolledBack
	o.sum.Bytes = max(0, o.sum.Bytes-left.bytes)
	for class, n := range left.errors {
		if o.sum.Errors[class] -= n; o.sum.Errors[class] <= 0 {
			delete(o.sum.Errors, class)
		}
	}
}

func (w *waitingTotal) leaveOut(left waitingTotal) {
	w.offered = max(0, w.offered-left.offered)
	if left.count == 0 || w.ages == nil {
		return
	}
	w.ages = less(w.ages, left.ages)
	w.count, w.oldest = max(0, w.count-left.count), seconds(float64(w.ages.Max()))
}

// less is a histogram without the values of another one, as far as it has them.
func less(h, other *hdr.Histogram) *hdr.Histogram {
	s := h.Export()
	for n, count := range other.Export().Counts {
		s.Counts[n] = max(0, s.Counts[n]-count)
	}
	return hdr.Import(s)
}
