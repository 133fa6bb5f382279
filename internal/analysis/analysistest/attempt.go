package analysistest

import (
	"strings"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// Healthy makes a trial that nothing is to be said against.
func Healthy(t *result.Trial) {
	Sampled(t, describe.CPUKind, "", "utilisation", 0.5)
	Sampled(t, describe.InstanceKind, "db-000", "cpu", 3.5)
	t.Variant.Load = study.Load{Users: 8, ThinkTime: unit.Duration(300 * time.Millisecond)}
	t.Drivers = []result.DriverSummary{{CPUUser: 10, BusyMax: 1}}
}

// Stolen makes a trial from which the hypervisor took so much CPU.
func Stolen(share float64) func(*result.Trial) {
	return func(t *result.Trial) {
		Healthy(t)
		Sampled(t, describe.CPUKind, "", "steal", share)
	}
}

// SecondAttempt makes a trial the second attempt at repetition 1.
func SecondAttempt(change func(*result.Trial)) func(*result.Trial) {
	return func(t *result.Trial) {
		t.Repetition, t.Attempt = 1, 2
		t.ID = strings.TrimSuffix(t.ID, "2") + "1.2"
		change(t)
	}
}

// Loses makes a trial that lost something.
func Loses(t *result.Trial) {
	t.Status, t.Failure = result.Failed, &result.Failure{Stage: result.StageAudit, Cause: "an order is missing"}
}
