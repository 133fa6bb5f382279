package e2e

import (
	"testing"

	"plimsoll/internal/result"
)

// streamsInCluster has a place for the path that streams go over.
const streamsInCluster = `study: streams
workload: {name: network, parameters: {message: 16KiB}}
engine: {name: netsink, settings: {path: PATH}}
storage:
  none: {class: external, text: Nothing is stored}
platform: {name: kubernetes, images: {plimsoll: "PLIMSOLL"}}
ladder: {of: users, rungs: [2]}
phases: {warmup: 1s, measure: 3s, ramp_rate: 0}
`

// On a cluster streams go over the pod network to a sink in a pod of its own, which has no
// volume. A link within one machine is refused by the plan.
func streamsOnTheCluster(t *testing.T) {
	s := clusterSiteOfMany(t)
	study := func(path string) string {
		return s.write(path+".yaml", replace(streamsInCluster, "PATH", path, "PLIMSOLL", s.Images["plimsoll"]))
	}
	for _, path := range []string{"remote", "local"} {
		out, _ := s.plimsoll(3, "plan", study(path))
		contains(t, out, "settings.path", "a virtual link is within one machine", "set path to direct")
	}
	s.plimsoll(0, "plan", study("direct"))
	s.plimsoll(0, "run", study("direct"), "--name", "streams", "--min-grade", "F")
	trial := s.trial("streams", "none/2/1")
	if trial.Status != result.Passed || !trial.Audit.Passed || trial.Audit.Acknowledged == 0 || trial.Throughput() <= 0 {
		t.Errorf("%s: %+v, audit %+v", trial.Status, trial.Failure, trial.Audit)
	}
}
