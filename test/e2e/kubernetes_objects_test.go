package e2e

import (
	"testing"

	"plimsoll/internal/result"
)

// objectsInCluster has a gateway for each instance, in a pod with a claim.
const objectsInCluster = `study: objects
workload: {name: objects, parameters: {mix: "get:40, put:30, multipart:5, list:5, delete:5", sizes: "4KiB:80, 200KiB:20", objects: 12, prefixes: 2}}
engine: {name: versitygw, memory: 128MiB}
storage:
  fast: {class: claim, storage_class: fast, size: 256MiB}
platform: {name: kubernetes, images: {plimsoll: "PLIMSOLL", versitygw: "GATEWAY"}}
ladder: [2]
load: {users: 2}
phases: {warmup: 1s, measure: 3s, ramp_rate: 0}
`

// Gateways are servers like others: their objects lie on claims, users reach them by their
// names, and each object that was acknowledged is audited.
func objectsOnTheCluster(t *testing.T) {
	s := clusterSiteOfMany(t)
	study := s.write("objects.yaml", replace(objectsInCluster, "PLIMSOLL", s.Images["plimsoll"], "GATEWAY", s.Images["versitygw"]))
	s.plimsoll(0, "run", study, "--name", "objects", "--min-grade", "F")
	trial := s.trial("objects", "fast/2/1")
	if trial.Status != result.Passed || !trial.Audit.Passed || trial.Audit.Acknowledged == 0 || trial.Operations["get"].Count == 0 {
		t.Errorf("%s: %+v, audit %+v", trial.Status, trial.Failure, trial.Audit)
	}
}
