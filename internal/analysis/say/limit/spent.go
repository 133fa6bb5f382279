package limit

import (
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
		of = say.F(" of %s", g.Role)
	}
	switch g.Component {
	case describe.DeviceWait:
		switch {
		case g.Resource == "":
			return say.F("the storage")
		case r != nil:
			return r.Plain()
		}
		return g.Resource
	case describe.CPUWait:
		if g.Machine != "" {
			return say.F("the CPU of node %s", g.Machine)
		}
		return say.F("the CPU")
	case describe.QuotaWait:
		return say.F("the CPU quota%s", of)
	case describe.MemoryWait:
		return say.F("memory%s", of)
	case describe.LockWait:
		return say.F("locks%s", of)
	case describe.NetworkWait:
		return say.F("the network%s", of)
	case describe.PeerWait:
		return say.F("another role")
	case describe.OtherWait:
		return say.F("something else%s", of)
	}
	return ""
}

// onText says what a component is spent on: "waiting for disk loop0", "running db".
func onText(g timeprofile.Growth, r *resource.Resource) string {
	switch what := waitsFor(g, r); {
	case what != "":
		return say.F("waiting for %s", what)
	case g.Role == timeprofile.Driver:
		return say.F("running the driver")
	}
	return say.F("running %s", g.Role)
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
		return say.F("waiting for %s of %s", lockText(wait), g.Role)
	case g.Component == describe.DeviceWait, g.Component == describe.CPUWait, g.Component == describe.QuotaWait:
		return waitsFor(g, r)
	case wait != "":
		return say.F("%s (%s)", onText(g, r), wait)
	case g.Component == describe.Running:
		return say.F("the work of %s itself", g.Role)
	}
	return onText(g, r)
}

// lockText names a lock: "a row lock", "lock buffer_content".
func lockText(name string) string {
	if strings.Contains(strings.ToLower(name), "lock") {
		return say.A(name)
	}
	return say.F("lock %s", name)
}

// limitsText names the one or two things that limit, with their verb.
func limitsText(d diagnose.Diagnosis) string {
	text := limitText(d.Time.Growth[0], d.WaitedFor(0), diagnose.LongestWait(d.Time.Growth[0]))
	if d.Time.Causes > 1 {
		return say.F("%s and %s limit", text, limitText(d.Time.Growth[1], d.WaitedFor(1), diagnose.LongestWait(d.Time.Growth[1])))
	}
	return say.F("%s limits", text)
}

// spentClause says in the verdict what the response time is spent on.
func spentClause(v *model.Variant, d diagnose.Diagnosis, noun string) string {
	text := say.F("%s it: %s", limitsText(d), growthText(v, d, noun))
	if top := d.WaitedFor(0); top != nil {
		text += say.F(" (%s)", say.LoadText(*top))
	}
	return text
}

// spentHead is the first sentence of the finding about it, with the evidence.
//
// Needs: The time profile.
func spentHead(v *model.Variant, d diagnose.Diagnosis, noun string) string {
	text := say.F("%s `%s`: %s.", words.Capital(limitsText(d)), v.Name, growthText(v, d, noun))
	switch top := d.WaitedFor(0); {
	case top != nil:
		text += say.F(" %s was %s there.", words.Capital(top.Name), say.LoadText(*top))
	case d.Top != nil && d.Time.Growth[0].Component != describe.Running:
		text += say.F(" No resource is used up: the busiest is %s at %s.", d.Top.Name, say.ShareText(*d.Top))
	}
	return text
}

// queueingHead names a resource that is nearly used up.
func queueingHead(v *model.Variant, r *rung.Rung, d diagnose.Diagnosis, noun string) string {
	text := say.F("%s limits `%s`: at %s it was %s, and queueing for it alone can make ", words.Capital(d.Top.Plain()), v.Name, say.Count(r.Instances, noun), say.LoadText(*d.Top))
	if first := rung.First(v.Rungs); first != nil && first.Instances < r.Instances {
		text += say.F("response time grow %s times, as it did", words.Figures(d.Growth))
	} else {
		text += say.F("%s take %s, as it did", say.A(v.Work.Unit.Name), words.Seconds(r.Mean.Value))
	}
	if queued := r.QueuedFor(d.Top); queued > 0 && d.Top.Kind == resource.Device {
		text += say.F("; %s of that was seen in its own queue", words.Percent(min(1, queued/r.Mean.Value)))
	}
	return text + "."
}

// least is the smallest share of the growth at which a component is named.
const least = 0.05

// growthText writes "at 5 instances an order takes 74 ms, 49 ms more than at 3: 41 ms of that
// waiting for disk loop0 (WAL flush 35 ms), 6 ms waiting for the CPU; 4 % is unexplained".
func growthText(v *model.Variant, d diagnose.Diagnosis, noun string) string {
	t := d.Time
	text := say.F("at %s %s takes %s", say.Count(t.To, noun), say.A(v.Work.Unit.Name), words.Seconds(t.After))
	if t.From > 0 {
		text += say.F(", %s more than at %d", words.Seconds(t.After-t.Before), t.From)
	}
	parts, rest := partsText(t.Growth, d.WaitedFor), restShare(t.Unexplained)
	switch {
	case parts == "" && rest == "":
		return text
	case parts == "":
		return say.F("%s: %s of that is unexplained", text, rest)
	case rest == "":
		return text + ": " + parts
	}
	return say.F("%s: %s; %s is unexplained", text, parts, rest)
}

// partsText lists the components that matter, the largest first, with what they are spent at where it
// was measured.
//
// Needs: A part grew by more than the response time, and another fell by at least 5 % of its growth.
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
			what += say.F(" more")
		case g.Share.Value >= 1:
			what = say.F("all of that")
		case i == 0:
			what += say.F(" of that")
		}
		parts = append(parts, what+" "+onText(g, at(i))+waitsText(g))
	}
	text := say.Join(parts)
	if fell && growth[0].Share.Value >= 1+least {
		text += say.F(", while the rest takes less")
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
	return " (" + say.Join(parts) + ")"
}

// restShare is the unexplained share; empty if it is too small to be shown.
func restShare(unexplained stats.Interval) string {
	if unexplained.Value < least {
		return ""
	}
	return words.Percent(min(1, unexplained.Value))
}

// unexplainedText says in the verdict how much of the growth nothing explains.
//
// Needs: A time profile of both rungs, which carries no cause.
func unexplainedText(d diagnose.Diagnosis) string {
	if d.Kind != diagnose.Waiting || d.Time == nil || d.Time.From == 0 || restShare(d.Time.Unexplained) == "" {
		return ""
	}
	return say.F("%s of the growth of the response time is unexplained", restShare(d.Time.Unexplained))
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
