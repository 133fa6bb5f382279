package e2e

import (
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
