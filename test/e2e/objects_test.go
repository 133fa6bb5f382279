package e2e

import (
	"strings"
	"testing"

	"plimsoll/internal/result"
)

const objectStore = `study: objects
title: Objects
workload:
  name: objects
  parameters: {mix: "get:40, put:30, multipart:5, range:5, head:5, list:5, copy:3, tag:2, delete:5", sizes: "4KiB:80, 200KiB:20", objects: 12, prefixes: 2, page: 5}
engine: {name: versitygw}
storage:
  here: {class: directory, path: disk}
ladder: {of: users, rungs: [1, 4]}
phases: {warmup: 1s, measure: 3s, ramp_rate: 0}
telemetry: {interval: 200ms}
objectives: ["p95 <= 10s", "errors <= 0.1%"]
`

// A gateway of its own serves each trial's objects; what was acknowledged is audited, and the
// report speaks of objects.
func TestObjectsAreWrittenReadAndAudited(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	out, _ := s.plimsoll(0, "run", s.write("objects.yaml", objectStore), "--name", "objects", "--min-grade", "F")
	contains(t, out, "objects/s", "users")
	for _, rung := range []string{"1", "4"} {
		trial := s.trial("objects", "here/"+rung+"/1")
		if trial.Status != result.Passed || !trial.Audit.Passed || trial.Whole().Count == 0 || trial.Whole().Bytes == 0 {
			t.Errorf("%s users: %s, %+v, %+v", rung, trial.Status, trial.Failure, trial.Audit)
		}
		for _, operation := range []string{"get", "put", "first byte"} {
			if trial.Operations[operation].Count == 0 {
				t.Errorf("%s users: none of %s", rung, operation)
			}
		}
	}
}

// Three gateways serve the files of one volume, through a balancer and without one; each
// has had requests, and what was acknowledged by any of them is audited.
func TestSeveralGatewaysServeOneStore(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	balanced := strings.NewReplacer(
		`objects: 12`, `objects: 12, balanced: true`,
		"engine: {name: versitygw}", "stack: {store: {name: versitygw, count: 3}, balancer: {name: haproxy}}",
		"rungs: [1, 4]", "rungs: [6]",
	).Replace(objectStore)
	direct := strings.NewReplacer("engine: {name: versitygw}", "engine: {name: versitygw, count: 3}", "rungs: [1, 4]", "rungs: [6]").Replace(objectStore)
	for name, text := range map[string]string{"balanced": balanced, "direct": direct} {
		s.plimsoll(0, "run", s.write(name+".yaml", text), "--name", name, "--min-grade", "F")
		trial := s.trial(name, "here/6/1")
		if trial.Status != result.Passed || !trial.Audit.Passed || trial.Whole().Count == 0 {
			t.Errorf("%s: %s, %+v, %+v", name, trial.Status, trial.Failure, trial.Audit)
		}
		if trial.Servers[0].Count != 3 {
			t.Errorf("%s: %+v", name, trial.Servers)
		}
		if name == "direct" {
			continue
		}
		passed := map[string]bool{}
		for _, r := range trial.Resources {
			if gateway, ok := strings.CutPrefix(r.Name, "balancer-000/gateway-"); ok && r.Metric == "bytes" && r.Mean > 0 {
				passed[gateway] = true
			}
		}
		if len(passed) != 3 {
			t.Errorf("bytes were passed on to the gateways %v", passed)
		}
		contains(t, s.shown("report", s.run(name)), "Requests by server", "to gateway-3")
	}
}

// A database of several servers that know nothing of each other is refused by plan.
func TestSeveralServersThatShareNothingAreRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	text := `study: two
workload: {name: dvdstore, parameters: {size: 10MB}}
engine: {name: postgres, count: 2}
storage: {here: {class: directory, path: disk}}
ladder: [1]
phases: {warmup: 1s, measure: 1s}
`
	out, _ := s.plimsoll(3, "plan", s.write("two.yaml", text))
	contains(t, out, "engine.count", "postgres servers of an instance")
}
