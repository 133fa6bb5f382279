package say

import (
	"math"
	"slices"

	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/text/words"
)

// ShareText writes how much of the resource is used, and of what.
func ShareText(r resource.Resource) string {
	return words.Percent(r.Utilisation) + shareOf[r.Share()]
}

// shareOf names the total of a utilisation that is not a share of time.
var shareOf = map[resource.Sort]string{
	resource.OfRate:     F(" of its sequential rate"),
	resource.OfParallel: F(" of its parallel capacity"),
	resource.OfLimit:    F(" of its limit"),
	resource.OfWaiting:  F(" of the time"),
}

// LoadText writes the same behind the name: "97 % busy", "used to 97 % of its limit".
func LoadText(r resource.Resource) string {
	switch r.Share() {
	case resource.OfTime:
		return F("%s busy", ShareText(r))
	case resource.OfQuota:
		return F("%s used", ShareText(r))
	case resource.OfWaiting:
		return F("in %s", ShareText(r))
	}
	return F("used to %s", ShareText(r))
}

// KernelBusy says how busy the kernel's statistics show a device that serves several
// requests at once; empty where that is the same.
//
// Needs: A device that serves several requests at once, and is less used than busy.
func KernelBusy(r resource.Resource) string {
	if r.Kind != resource.Device || r.Servers <= 1 || r.Busy <= r.Utilisation {
		return ""
	}
	return F("the kernel shows it busy %s of the time, as it does while any request is in flight", words.Percent(r.Busy))
}

// QuotaText says how large a container's quota is and how often it held the run
// back: "0.6 cores, throttled in 149 of 208 periods"; empty for other resources.
func QuotaText(r resource.Resource) string {
	if r.Kind != resource.Container {
		return ""
	}
	text := F("%s cores", words.Exact(r.Servers))
	if r.Servers == 1 {
		text = F("1 core")
	}
	if r.Periods > 0 {
		text += F(", throttled in %.0f of %.0f periods", r.Throttled*r.Periods, r.Periods)
	}
	return text
}

// WaitingText says how many wait: "12 requests waiting on average"; empty where
// that is not known.
func WaitingText(r resource.Resource) string {
	if !r.Kind.IsOccupied() || r.Queue == 0 {
		return ""
	}
	return F("%s waiting on average", CountOf(int(math.Round(r.Waiting())), "request", "requests"))
}

// IsAre agrees with the number of the resource's name.
func IsAre(r resource.Resource) string {
	if r.Kind.IsOccupied() {
		return F("are")
	}
	return F("is")
}

// MachineText is what running text calls the machine that the resource belongs to.
func MachineText(r resource.Resource) string {
	if r.Machine == "" {
		return F("the machine")
	}
	return F("node %s", r.Machine)
}

// Evidence writes the evidence of request times about the devices of some rungs.
func Evidence(rungs []rung.Rung) []rung.Rung {
	rungs = slices.Clone(rungs)
	for i := range rungs {
		if rungs[i].IO != nil {
			path := *rungs[i].IO
			path.Text = pathText(path.Moves())
			rungs[i].IO = &path
		}
		rungs[i].Resources = slices.Clone(rungs[i].Resources)
		for j := range rungs[i].Resources {
			r := &rungs[i].Resources[j]
			r.Evidence = evidenceText(*r)
		}
	}
	return rungs
}

// evidenceText states the evidence of request times about a device; empty if nothing was
// assumed about it.
//
// Needs: Request times at two rungs; without, "its request times were not recorded".
func evidenceText(r resource.Resource) string {
	w := r.Width
	assumed := F("It is assumed to serve %s in parallel (%s)", Count(int(w.Assumed), "request"), r.Assumed)
	queue, await, best, bestQueue := words.Figures(r.Queue), words.Seconds(r.Await), words.Seconds(w.BestAwait), words.Figures(w.BestQueue)
	switch w.Doubt {
	case resource.Contradictory:
		return F("The kernel shows it busy %s of the time with %s requests in flight on average, which contradict each other.", words.Percent(r.Busy), queue)
	case resource.Unrecorded:
		return F("%s; its request times were not recorded.", assumed)
	case resource.Unsettled:
		return F("%s. With %s in flight a request took %s, and with %s it took %s: requests hardly wait for each other, so the device's parallelism is unknown.",
			assumed, queue, await, bestQueue, best)
	case resource.Borne:
		return F("%s, and the request times confirm it: a request took %s with %s in flight and %s with %s.", assumed, await, queue, best, bestQueue)
	case resource.Corrected:
		return F("%s; but with %s requests in flight each took %s, and %s with %s: it serves about %s in parallel and queues the rest.",
			assumed, queue, await, best, bestQueue, words.Figures(w.Shown))
	}
	return ""
}

// MeasureWidth says how to replace the assumption by a fact.
func MeasureWidth() string {
	return F("Measure how many requests it serves in parallel: run `plimsoll probe` on its path, take the ratio of its rate with 32 reads in flight to its rate with one, and set that as the storage's `width` in the study.")
}

// FigureText writes "99,262 TPS (97,100–101,500)".
func FigureText(i stats.Interval, unit string) string {
	write := Rounded(i)
	text := Plain(i, write) + " " + unit
	switch {
	case i.Changing:
		text += NotSteady()
	case i.Bounded():
		text += F(" (%s–%s)", write(i.Low), write(i.High))
	case i.Extremes:
		text += F(" (range %s–%s)", write(i.Low), write(i.High))
	}
	return text
}

// vague is how wide the bounds of a figure are, as a share of it, for two digits of it to mean
// anything and no third.
const vague = 0.2

// Rounded writes a figure with as many digits as its bounds leave a meaning: two or, where they
// are close or none are known, as words.Figures does.
func Rounded(i stats.Interval) func(float64) string {
	if (i.Bounded() || i.Extremes) && i.High-i.Low > vague*i.Value {
		return func(v float64) string { return words.Significant(v, 2) }
	}
	return words.Figures
}
