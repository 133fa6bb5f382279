package analysis

import (
	"strings"
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/resource"
)

// A CPU quota over the whole run is the bottleneck, whatever the machine's CPU has
// left, and whether it is used up on average or throttles before.
func TestQuotaOfTheContainerIsTheBottleneck(t *testing.T) {
	for _, c := range []struct {
		name       string
		used, held float64
		want       bool
	}{
		{"used up", 0.97, 149. / 208, true},
		{"throttles before", 0.72, 149. / 208, true},
		{"not reached", 0.40, 0.02, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			// Half of the time is waiting that no machine's resource explains.
			run := machineUnderTest{cpu: 0.004, disk: 0.001, think: 100 * time.Millisecond, lock: 0.01}.run(1, 2, 4, 8, 16, 32, 64)
			for _, trial := range run.Trials {
				seconds := trial.MeasureEnd.Sub(trial.MeasureStart).Seconds()
				analysistest.Sampled(trial, "container", "/docker/4f2", "cpu_utilisation", c.used)
				analysistest.Sampled(trial, "container", "/docker/4f2", "cpu_limit", 0.6)
				analysistest.Sampled(trial, "container", "/docker/4f2", "periods", 208/seconds)
				analysistest.Sampled(trial, "container", "/docker/4f2", "throttled_periods", c.held)
			}
			f, a := bottleneck(t, run)
			text := f.Text + a.Verdict[0].Text + f.Next
			for _, said := range []string{
				"CPU quota of this container (control group /docker/4f2) is the bottleneck of", "the quota is 0.6 cores, throttled in 149 of 208 periods",
				"CPU quota of this container is the bottleneck", "0.6 cores, throttled in 149 of 208 periods", "Run without this quota, or with 1.2 cores",
			} {
				if strings.Contains(text, said) != c.want {
					t.Errorf("%q is to be said: %v, in %s", said, c.want, text)
				}
			}
			if strings.Contains(f.Text, "was not measured") && c.want {
				t.Errorf("what waits for the quota is not explained: %s", f.Text)
			}
		})
	}
}

// One that was killed for want of memory is told apart from slow storage.
func TestContainerMemoryIsAResource(t *testing.T) {
	run := machineUnderTest{cpu: 0.004, disk: 0.001, think: 100 * time.Millisecond}.run(1, 2)
	for _, trial := range run.Trials {
		analysistest.Sampled(trial, "container", "/", "memory_utilisation", 0.81)
	}
	_, a := bottleneck(t, run)
	for _, r := range a.Variants[0].Rungs[0].Resources {
		if r.Name == "memory limit of this container" && r.Kind == resource.Memory && r.Utilisation == 0.81 {
			return
		}
	}
	t.Errorf("no memory limit among %+v", a.Variants[0].Rungs[0].Resources)
}
