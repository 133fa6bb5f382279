package driver

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// check reports every impossible value of a job.
func (j *Job) check(w workload.Workload, p workload.Parameters) error {
	var wrong []error
	must := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Errorf("driver's job: "+format, args...))
		}
	}
	must(len(j.Targets) > 0, "targets is empty")
	must(j.Users > 0, "users must be at least 1, got %d", j.Users)
	must(j.Measure > 0, "measure must be above 0, got %v", j.Measure)
	must(j.Ramp >= 0 && j.Warmup >= 0 && j.ThinkTime >= 0, "ramp %v, warmup %v and think_time %v must not be negative", j.Ramp, j.Warmup, j.ThinkTime)
	must(j.Ceiling >= 0, "ceiling must not be negative, got %v", j.Ceiling)
	must(j.Rate >= 0, "rate must be 0 or more units of work a second, got %v", j.Rate)
	must(j.RampRate >= 0, "ramp_rate must be 0 or more users a second, got %v", j.RampRate)
	must(j.ErrorLimit >= 0 && j.ErrorLimit <= 1, "error_limit must be 0 to 1, got %v", j.ErrorLimit)
	must(slices.Contains([]study.Arrivals{"", study.Constant, study.Poisson}, j.Arrivals), "arrivals is %q, want %s or %s", j.Arrivals, study.Constant, study.Poisson)
	must(j.Tolerate >= 0, "tolerate must be 0 or more targets, got %d", j.Tolerate)
	must(j.Rate == 0 || j.ThinkTime == 0, "an open loop (rate %v) has no think time (%v): omit one of them", j.Rate, j.ThinkTime)
	must(w.Describe(p).UserRate == 0 || j.Rate == 0 && j.ThinkTime == 0, "users of workload %s follow a schedule of their own: omit rate (%v) and think_time (%v)", w.Name(), j.Rate, j.ThinkTime)
	must(!w.Describe(p).Fixed || j.Warmup == 0 && j.Ramp == 0 && j.RampRate == 0, "fixed work has no warm-up (%v) and no ramp (%v, %v users/s)", j.Warmup, j.Ramp, j.RampRate)
	seen := map[int]bool{}
	for _, t := range j.Targets {
		must(!seen[t.Instance], "instance %d is listed twice", t.Instance)
		wrong = append(wrong, fits(w, p, t)...)
		seen[t.Instance] = true
	}
	return errors.Join(wrong...)
}

// fits says which roles of an instance no endpoint fills, or none that the
// workload can use.
func fits(w workload.Workload, p workload.Parameters, t workload.Target) (wrong []error) {
	for _, role := range w.Roles(p) {
		e := t.Endpoint(role.Name)
		if t.Foreign && e.Kind == "" {
			continue
		}
		if !slices.Contains(role.Kinds, e.Kind) {
			wrong = append(wrong, fmt.Errorf("driver's job: workload %s cannot use %q as the role %s of instance %d, only %s",
				w.Name(), e.Kind, role.Name, t.Instance, strings.Join(role.Kinds, ", ")))
		}
	}
	return wrong
}
