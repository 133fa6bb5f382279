package limit

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/timeprofile"
	"plimsoll/internal/describe"
	"plimsoll/internal/text/words"
)

// waitsFor completes "waiting for" with what a component is spent on; empty for time that is no
// wait.
func waitsFor(g timeprofile.Growth, r *resource.Resource) string {
	of := ""
	if g.Role != "" {
		of = " of " + g.Role
	}
	switch g.Component {
	case describe.DeviceWait:
		switch {
		case g.Resource == "":
			return "the storage"
		case r != nil:
			return r.Plain()
		}
		return g.Resource
	case describe.CPUWait:
		if g.Machine != "" {
			return "the CPU of node " + g.Machine
		}
		return "the CPU"
	case describe.QuotaWait:
		return "the CPU quota" + of
	case describe.MemoryWait:
		return "memory" + of
	case describe.LockWait:
		return "locks" + of
	case describe.NetworkWait:
		return "the network" + of
	case describe.PeerWait:
		return "another role"
	case describe.OtherWait:
		return "something else" + of
	}
	return ""
}

// onText says what a component is spent on: "waiting for disk loop0", "running db".
func onText(g timeprofile.Growth, r *resource.Resource) string {
	switch what := waitsFor(g, r); {
	case what != "":
		return "waiting for " + what
	case g.Role == timeprofile.Driver:
		return "running the driver"
	}
	return "running " + g.Role
}

// SpentOn says the same of a part of a profile.
func SpentOn(p timeprofile.Portion) string {
	return SpentOnGrowth(timeprofile.Growth{Component: p.Component, Role: p.Role, Resource: p.Resource})
}

// SpentOnGrowth says the same of a component that grew.
func SpentOnGrowth(g timeprofile.Growth) string { return onText(g, nil) }

// limitText names what limits: "disk loop0", "the CPU", "waiting for lock transactionid of db". Wait is
// the longest, where one makes up most of the component.
func limitText(g timeprofile.Growth, r *resource.Resource, wait string) string {
	switch {
	case r != nil && g.Resource != "":
		return r.Plain()
	case g.Component == describe.LockWait && wait != "":
		return fmt.Sprintf("waiting for %s of %s", lockText(wait), g.Role)
	case g.Component == describe.DeviceWait, g.Component == describe.CPUWait, g.Component == describe.QuotaWait:
		return waitsFor(g, r)
	case wait != "":
		return fmt.Sprintf("%s (%s)", onText(g, r), wait)
	case g.Component == describe.Running:
		return "the work of " + g.Role + " itself"
	}
	return onText(g, r)
}

// lockText names a lock: "a row lock", "lock buffer_content".
func lockText(name string) string {
	if strings.Contains(strings.ToLower(name), "lock") {
		return words.A(name)
	}
	return "lock " + name
}

// limitsText names the one or two things that limit, with their verb.
func limitsText(d diagnose.Diagnosis) string {
	text := limitText(d.Time.Growth[0], d.WaitedFor(0), diagnose.LongestWait(d.Time.Growth[0]))
	if d.Time.Causes > 1 {
		return text + " and " + limitText(d.Time.Growth[1], d.WaitedFor(1), diagnose.LongestWait(d.Time.Growth[1])) + " limit"
	}
	return text + " limits"
}

// spentClause says in the verdict what the response time is spent on.
func spentClause(v *model.Variant, d diagnose.Diagnosis, noun string) string {
	text := limitsText(d) + " it: " + growthText(v, d, noun)
	if top := d.WaitedFor(0); top != nil {
		text += fmt.Sprintf(" (%s)", say.LoadText(*top))
	}
	return text
}

// spentHead is the first sentence of the finding about it, with the evidence.
func spentHead(v *model.Variant, d diagnose.Diagnosis, noun string) string {
	text := fmt.Sprintf("%s `%s`: %s.", words.Capital(limitsText(d)), v.Name, growthText(v, d, noun))
	switch top := d.WaitedFor(0); {
	case top != nil:
		text += fmt.Sprintf(" %s was %s there.", words.Capital(top.Name), say.LoadText(*top))
	case d.Top != nil && d.Time.Growth[0].Component != describe.Running:
		text += fmt.Sprintf(" No resource is used up: the busiest is %s at %s.", d.Top.Name, say.ShareText(*d.Top))
	}
	return text
}

// queueingHead names a resource that is nearly used up.
func queueingHead(v *model.Variant, r *rung.Rung, d diagnose.Diagnosis, noun string) string {
	text := fmt.Sprintf("%s limits `%s`: at %s it was %s, and queueing for it alone can make ", words.Capital(d.Top.Plain()), v.Name, words.Count(r.Instances, noun), say.LoadText(*d.Top))
	if first := rung.First(v.Rungs); first != nil && first.Instances < r.Instances {
		text += fmt.Sprintf("response time grow %s times, as it did", words.Figures(d.Growth))
	} else {
		text += fmt.Sprintf("%s take %s, as it did", words.A(v.Work.Unit.Name), words.Seconds(r.Mean.Value))
	}
	if queued := r.QueuedFor(d.Top); queued > 0 && d.Top.Kind == resource.Device {
		text += fmt.Sprintf("; %s of that was seen in its own queue", words.Percent(min(1, queued/r.Mean.Value)))
	}
	return text + "."
}

// least is the smallest share of the growth at which a component is named.
const least = 0.05

// growthText writes "at 5 instances an order takes 74 ms, 49 ms more than at 3: 41 ms of that
// waiting for disk loop0 (WAL flush 35 ms), 6 ms waiting for the CPU; 4 % is unexplained".
func growthText(v *model.Variant, d diagnose.Diagnosis, noun string) string {
	t := d.Time
	text := fmt.Sprintf("at %s %s takes %s", words.Count(t.To, noun), words.A(v.Work.Unit.Name), words.Seconds(t.After))
	if t.From > 0 {
		text += fmt.Sprintf(", %s more than at %d", words.Seconds(t.After-t.Before), t.From)
	}
	parts, rest := partsText(t.Growth, d.WaitedFor), restShare(t.Unexplained)
	switch {
	case parts == "" && rest == "":
		return text
	case parts == "":
		return text + ": " + rest + " of that is unexplained"
	case rest == "":
		return text + ": " + parts
	}
	return text + ": " + parts + "; " + rest + " is unexplained"
}

// partsText lists the components that matter, the largest first, with what they are spent at where it
// was measured.
func partsText(growth []timeprofile.Growth, at func(place int) *resource.Resource) string {
	var parts []string
	fell := slices.ContainsFunc(growth, func(g timeprofile.Growth) bool { return g.Share.Value < -least })
	for i, g := range growth {
		if g.Share.Value < least {
			break
		}
		what := words.Seconds(g.Seconds)
		switch {
		case fell && g.Share.Value >= 1+least:
			what += " more"
		case g.Share.Value >= 1:
			what = "all of that"
		case i == 0:
			what += " of that"
		}
		parts = append(parts, what+" "+onText(g, at(i))+waitsText(g))
	}
	text := words.Join(parts)
	if fell && growth[0].Share.Value >= 1+least {
		text += ", while the rest takes less"
	}
	return text
}

// mostWaits is the number of named waits shown for a component.
const mostWaits = 2

// waitsText names the waits that make up most of a component: " (WAL flush 35 ms)".
func waitsText(g timeprofile.Growth) string {
	var parts []string
	for i, w := range g.Waits {
		if i == mostWaits || w.Seconds.Value < 2*least*g.Seconds {
			break
		}
		parts = append(parts, w.Name+" "+words.Seconds(w.Seconds.Value))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + words.Join(parts) + ")"
}

// restShare is the unexplained share; empty if it is too small to be shown.
func restShare(unexplained stats.Interval) string {
	if unexplained.Value < least {
		return ""
	}
	return words.Percent(min(1, unexplained.Value))
}

// unexplainedText says in the verdict how much of the growth nothing explains.
func unexplainedText(d diagnose.Diagnosis) string {
	if d.Kind != diagnose.Waiting || d.Time == nil || d.Time.From == 0 || restShare(d.Time.Unexplained) == "" {
		return ""
	}
	return restShare(d.Time.Unexplained) + " of the growth of the response time is unexplained"
}

// timeText says what the response time is spent on where that shows no cause.
func timeText(v *model.Variant, d diagnose.Diagnosis, noun string) string {
	if d.Time == nil {
		return ""
	}
	return words.Capital(growthText(v, d, noun)) + "."
}

// countedText is the same of a cause that the time profile confirms.
func countedText(v *model.Variant, d diagnose.Diagnosis, noun string) string {
	if d.Cause().Component == "" {
		return ""
	}
	return timeText(v, d, noun)
}

// timeNumbers are the numbers of the time profile.
func timeNumbers(d diagnose.Diagnosis) map[string]float64 {
	n := map[string]float64{}
	if d.Time == nil {
		return n
	}
	n["response_before"], n["response_after"], n["unexplained"] = d.Time.Before, d.Time.After, d.Time.Unexplained.Value
	for _, g := range d.Time.Growth[:d.Time.Causes] {
		n["share_"+string(g.Component)] = g.Share.Value
	}
	return n
}
