package e2e

import (
	"testing"

	"plimsoll/internal/result"
)

// tileStudy is a database whose users come in bursts, beside a reader of blocks that no
// machine is fast enough for.
const tileStudy = `study: tile
members:
  - name: bank
    weight: 2
    workload: {name: oltp, parameters: {table_size: 1000}}
    engine: {name: postgres}
    load: {users: 2, bursts: {every: 2s, on: 1s}}
    objectives: ["p95 <= 1m"]
  - name: reader
    workload: {name: blockio, parameters: {size: 8MiB}}
    load: {users: 1}
    objectives: ["p95 <= 1us"]
storage: {here: {class: directory}}
ladder: [1]
phases: {warmup: 1s, measure: 4s, ramp_rate: 0}
`

// TestMembersSideBySide: two applications run at once, each with an audit and figures of its
// own, and the report names the one that does not keep its objective.
func TestMembersSideBySide(t *testing.T) {
	s := newSite(t)
	out, _ := s.plimsoll(0, "run", s.write("tile.yaml", tileStudy), "--name", "tile", "--min-grade", "F", "--retries", "0")
	contains(t, out, "here carries not even 1 tile: reader: p95 was ", "(p95 ≤ 1 µs)", "here.bank", "here.reader")
	trial := s.trial("tile", "here/1/1")
	all := map[string]*result.Trial{}
	for _, one := range trial.Tile() {
		all[one.Variant.Member] = one
	}
	bank, reader := all["bank"], all["reader"]
	if bank == nil || reader == nil {
		t.Fatalf("members are %v", all)
	}
	if bank.Rung != 2 || bank.Whole().Count == 0 || bank.Audit == nil || !bank.Audit.Passed || bank.Audit.Instances != 2 || bank.Profile.Unit.Throughput != "TPS" {
		t.Errorf("bank: %d instances, %d transactions, audit %+v", bank.Rung, bank.Whole().Count, bank.Audit)
	}
	if reader.Rung != 1 || reader.Whole().Count == 0 || reader.Audit == nil || !reader.Audit.Passed || reader.Profile.Unit.Throughput != "IOPS" {
		t.Errorf("reader: %d instances, %d I/Os, audit %+v", reader.Rung, reader.Whole().Count, reader.Audit)
	}
	contains(t, s.shown("show", s.run("tile"), "here/1/1"), "here.bank/1/1: passed, 2 instances of postgres", "here.reader/1/1: passed, 1 instance of blockio")
	s.assertNothingLeft()
}

// shown is what a command prints.
func (s *site) shown(args ...string) string {
	out, _ := s.plimsoll(0, args...)
	return out
}
