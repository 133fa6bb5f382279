package e2e

import (
	"testing"

	"plimsoll/internal/result"
)

// blocksInCluster drives raw devices.
const blocksInCluster = `study: blocks
workload: {name: blockio, parameters: {size: 8MiB}}
storage:
  raw: {class: claim, storage_class: blocks, volume_mode: Block, size: 16MiB}
platform: {name: kubernetes, images: {plimsoll: "PLIMSOLL"}}
ladder: [2]
phases: {warmup: 1s, measure: 3s, ramp_rate: 0}
`

// Claims of mode Block reach the users as devices, whose every block is verified.
func blocksOnTheCluster(t *testing.T) {
	s := clusterSiteOfMany(t)
	s.plimsoll(0, "run", s.write("blocks.yaml", replace(blocksInCluster, "PLIMSOLL", s.Images["plimsoll"])), "--name", "blocks", "--min-grade", "F")
	trial := s.trial("blocks", "raw/2/1")
	if trial.Status != result.Passed || !trial.Audit.Passed || trial.Audit.Acknowledged == 0 || trial.Throughput() <= 0 {
		t.Errorf("%s: %+v, audit %+v", trial.Status, trial.Failure, trial.Audit)
	}
}
