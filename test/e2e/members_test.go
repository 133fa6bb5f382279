package e2e

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/result"
)

// tileStudy is a database with users who come in bursts, and a reader of blocks with an objective
// that no machine meets.
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
	t.Parallel()
	s := newSite(t)
	out, _ := s.plimsoll(0, "run", s.write("tile.yaml", tileStudy), "--name", "tile", "--min-grade", "F", "--retries", "0")
	contains(t, strings.Join(strings.Fields(out), " "), "here carries not even 1 tile.", "reader breaks first, at 1 tile: p95 was ", "over p95 ≤ 1 µs")
	contains(t, s.shown("report", s.run("tile")), "here.bank", "here.reader")
	all := s.members("tile", "here/1/1")
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

// backupStudy is a bank, a standby server, and a backup at a fixed rate.
const backupStudy = `study: backup
members:
  - name: bank
    workload: {name: oltp, parameters: {table_size: 1000}}
    engine: &server {name: postgres}
    load: {users: 2}
    objectives: ["errors <= 0.1%"]
  - name: standby
    workload: {name: oltp, parameters: {mode: point_select, tables: 1, table_size: 1000}}
    engine: *server
    load: {users: 1, rate: 2}
    objectives: ["max <= 1m"]
  - name: backup
    workload: {name: blockio, parameters: {size: 8MiB, read: 100, block: 1MiB, access: sequential}}
    load: {users: 1, rate: 20, bursts: {every: 2s, on: 1s}}
    objectives: ["errors <= 0.1%"]
storage: {here: {class: directory}}
ladder: {rungs: [1], alone: true}
phases: {warmup: 1s, measure: 4s, ramp_rate: 0}
`

// TestWhatABackupCosts: each member is also measured alone. The report says how much slower it is
// with the others, and how much the backup slows them down.
func TestWhatABackupCosts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.plimsoll(0, "run", s.write("backup.yaml", backupStudy), "--name", "backup", "--min-grade", "F", "--retries", "0")
	run, err := result.Open(s.run("backup"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := analysis.Analyse(run, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tile := a.Tiles[0]
	if tile.Bursty != "backup" || len(tile.Costs) != 2 || tile.Costs[0].On <= 0 || tile.Costs[0].Off <= 0 || tile.Costs[1].Work.Value != 0 {
		t.Errorf("what the backup costs is %+v", tile.Costs)
	}
	if len(tile.Interference) != 3 {
		t.Fatalf("interference is %+v", tile.Interference)
	}
	for _, i := range tile.Interference {
		if i.Alone == nil || i.Alone.Mean.Value <= 0 || i.TileOverAlone.Mean.Value <= 0 {
			t.Errorf("%s alone and beside the others: %+v", i.Member, i)
		}
		members := s.members("backup", "here/alone-"+i.Member+"/1")
		trial := members[i.Member]
		if len(members) != 1 || trial == nil || trial.Alone != i.Member || trial.Audit == nil || !trial.Audit.Passed {
			t.Errorf("%s alone: %+v", i.Member, members)
		}
	}
	contains(t, s.shown("report", s.run("backup")), "Response time alone and beside the others on here", "What backup costs the others on here, at 1 tile")
	contains(t, s.shown("report", s.run("backup"), "--format", "markdown"), "How much slower are the members of a tile on here than alone?", "What does backup cost the other members on here?")
	contains(t, s.shown("show", s.run("backup"), "here/alone-standby/1"), "1 tile with nothing but standby", "here.standby/alone-standby/1: passed, 1 instance of postgres")
	s.assertNothingLeft()
}
