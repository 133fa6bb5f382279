package e2e

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// imagesStudy moves images between two services of a run, over a link of the source's own. Run by
// root, each service has a user of its own.
const imagesStudy = `study: images
workload:
  name: images
  parameters: {items: 10, size: 3MiB, source_format: gzip, checksum: sha256}
stack:
  source: {name: imaged, settings: {path: remote, link_rate: 1gbit}}
  destination: {name: imaged}
storage:
  here: {class: directory, path: disk}
matrix:
  workload.parameters.operation: [sync, download]
ladder: {of: users, rungs: [2]}
phases: {measure: 1m, ramp_rate: 0}
objectives: ["errors <= 0%"]
`

// Items come over the link, each is audited, and reports have the stages of the way.
func TestImages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.plimsoll(0, "run", s.write("images.yaml", imagesStudy), "--name", "first", "--min-grade", "F")
	for variant, checksums := range map[string]int{"here-operation-sync": 2, "here-operation-download": 1} {
		trial := s.trial("first", variant+"/2/1")
		if trial.Status != result.Passed || !trial.Audit.Passed || trial.Audit.Acknowledged != 10 || len(trial.Servers) != 2 {
			t.Fatalf("%s: %s, %+v, audit %+v", variant, trial.Status, trial.Failure, trial.Audit)
		}
		contains(t, strings.Join(trial.Notes, " "), "the network is simulated")
		summed := 0
		for _, stage := range trial.Whole().Effort.Stages {
			if stage.Name == "checksum" {
				summed++
			}
		}
		if summed != checksums {
			t.Errorf("%s: %d stages add up, want %d", variant, summed, checksums)
		}
		last := trial.Whole().Effort.Stages
		if !slices.ContainsFunc(last, func(s describe.Stage) bool { return s.Side == "source" && s.Name == "send" && s.Bytes > 0 }) {
			t.Errorf("%s: nothing was sent: %+v", variant, last)
		}
	}
	table, _ := s.plimsoll(0, "report", "first", "--format", "csv", "--table", "stages")
	contains(t, table, ",source,send,", ",destination,decompress,", ",destination,flush,")
}
