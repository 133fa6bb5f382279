package analysis

import (
	"math"
	"strings"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/result"
	"plimsoll/internal/words"
)

// doubtTelemetry: without samples no bottleneck can be named.
func doubtTelemetry(_ *subject, t *result.Trial, _ metrics) []Warning {
	if len(t.Resources) == 0 {
		return warn("telemetry", Caution, "no telemetry: the machine's activity is unknown, so neither a bottleneck nor outside interference would show")
	}
	return nil
}

// doubtLength: a short phase sees few checkpoints, flushes and bursts.
func doubtLength(_ *subject, t *result.Trial, _ metrics) []Warning {
	length := measured(t)
	switch {
	case length <= 0:
		return warn("length", Serious, "the length of the measured phase is unknown, so there is no throughput")
	case length < 10:
		return warn("length", Caution, "only %s were measured: a single checkpoint or write burst more or less would change the figure", words.Seconds(length))
	case length < 60:
		return warn("length", Note, "%s were measured, too short to include slow cycles (checkpoints, drive garbage collection)", words.Seconds(length))
	}
	return nil
}

// doubtOrders: a percentile needs some ten values beyond it, the 99th a
// thousand orders.
func doubtOrders(_ *subject, t *result.Trial, _ metrics) []Warning {
	n := t.Operations["order"].Count
	switch {
	case n == 0:
		return warn("orders", Serious, "no order was completed in the measured phase")
	case n < 200:
		return warn("orders", Caution, "%s orders were measured: even the 95th percentile is based on ten of them or fewer", words.Thousands(float64(n)))
	case n < 1000:
		return warn("orders", Note, "%s orders were measured: percentiles above the 95th are based on fewer than ten", words.Thousands(float64(n)))
	}
	return nil
}

// doubtLoop holds the trial against the interactive response time law,
// X*(R+Z) = N (Denning and Buzen, 1978): users who are neither waiting nor
// thinking were lost.
func doubtLoop(_ *subject, t *result.Trial, _ metrics) []Warning {
	o := t.Operations["order"]
	users := float64(t.Variant.Load.Users * t.Rung)
	if t.OpenLoop || t.Variant.Load.Rate > 0 || users == 0 || o.Mean <= 0 || measured(t) <= 0 || o.Count < 200 {
		return nil
	}
	ended := float64(o.Count + o.RolledBack + sumErrors(o.Errors))
	active := ended / measured(t) * (o.Mean + t.Variant.Load.ThinkTime.D().Seconds())
	off := active/users - 1
	severity := byLevel(math.Abs(off), 0.1, 0.15, 0.4)
	if severity == "" || !stats.IsFinite(off) {
		return nil
	}
	if off < 0 {
		return warn("loop", severity, "%s of %s users account for the orders (X·(R+Z)): the others were connecting, reconnecting or held up in the driver", words.Figures(active), words.Figures(users))
	}
	return warn("loop", severity, "the orders and response times account for %s users (X·(R+Z)), but there were %s", words.Figures(active), words.Figures(users))
}

// doubtDriver: a driver short of CPU measures itself.
func doubtDriver(s *subject, t *result.Trial, _ metrics) []Warning {
	if s.cores == 0 || measured(t) <= 0 {
		return nil
	}
	used, peak := 0.0, 0.0
	for _, d := range t.Drivers {
		used += stats.Finite(d.CPUUser) + stats.Finite(d.CPUSystem)
		peak = max(peak, stats.Finite(d.BusyMax))
	}
	share := used / (measured(t) * s.cores)
	if severity := byLevel(share, 0.35, 0.5, 0.75); severity != "" {
		return warn("driver-saturated", severity, "the drivers used %s of the machine's CPU, so the figures partly measure the load generator; move the drivers to another machine or raise the think time", words.Percent(share))
	}
	if peak >= 0.95*s.cores && s.cores > 1 {
		return warn("driver-saturated", Note, "in its busiest second a driver used all %s cores", words.Figures(s.cores))
	}
	return nil
}

// doubtLateness: a user who wakes too late adds to the think time and, in a
// closed loop, hides waiting.
func doubtLateness(_ *subject, t *result.Trial, _ metrics) []Warning {
	late := 0.0
	for _, d := range t.Drivers {
		late = max(late, stats.Finite(d.LateMean))
	}
	cycle := t.Operations["order"].Mean + t.Variant.Load.ThinkTime.D().Seconds()
	if cycle <= 0 {
		return nil
	}
	severity := byLevel(late/cycle, 0.02, 0.05, 0.2)
	if severity == "" {
		return nil
	}
	return warn("driver-late", severity, "users woke %s late on average, %s of an order's time: the driver could not keep up with its schedule", words.Seconds(late), words.Percent(late/cycle))
}

// doubtAudit: a figure whose orders were not asked for again is only a claim.
func doubtAudit(_ *subject, t *result.Trial, _ metrics) []Warning {
	switch {
	case t.Audit == nil:
		return warn("audit", Note, "no audit: whether every acknowledged order was stored was not checked")
	case !t.Audit.Passed:
		return warn("audit", Serious, "the audit failed: %s", strings.TrimSuffix(t.Audit.Text, "."))
	}
	return nil
}
