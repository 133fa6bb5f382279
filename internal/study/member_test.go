package study_test

import (
	"errors"
	"strings"
	"testing"

	"plimsoll/internal/study"
)

// tile is a study of two members.
const tile = `study: tile
members:
  - name: shop
    weight: 2
    workload: {name: shop}
    engine: {name: postgres, cpu: 2}
    load: {users: 4, bursts: {every: 2m, on: 1m}}
    objectives: ["p95 <= 200ms"]
  - name: bulk
    workload: {name: shop}
    engine: {name: mariadb}
storage:
  ssd: {class: directory}
ladder: [1, 3]
`

func TestMembersAreApplicationsOfTheirOwn(t *testing.T) {
	s := parse(t, tile, "")
	if m := s.Members; len(m) != 2 || m[0].Weight != 2 || m[1].Weight != 1 || m[1].Load.Users != 8 || m[0].Load.Bursts == nil {
		t.Fatalf("members %+v", m)
	}
	variants, err := s.Expand()
	if err != nil || len(variants) != 1 || len(variants[0].Members) != 2 {
		t.Fatalf("variants %+v: %v", variants, err)
	}
	one := variants[0].Tile()
	if one[0].Member != "shop" || one[0].Weight != 2 || one[0].Load.Users != 4 || one[0].Server("db").Name != "postgres" {
		t.Errorf("the shop alone is %+v", one[0])
	}
	if one[1].Member != "bulk" || one[1].Server("db").Name != "mariadb" || one[1].Name != variants[0].Name || one[1].Title() != "ssd.bulk" {
		t.Errorf("the bulk alone is %+v", one[1])
	}
	alone := s.Tile()
	if name, weight := alone[0].Member(); name != "shop" || weight != 2 || len(alone[0].Objectives) != 1 || len(alone[1].Objectives) != 0 {
		t.Errorf("the study of the shop is %s, %d times, with %v", name, weight, alone[0].Objectives)
	}
}

func TestMembersAreMeasuredAlone(t *testing.T) {
	for _, ladder := range []string{"{rungs: [1, 3], alone: true}", "{auto: {rungs: [1, 3]}, alone: true}"} {
		if s := parse(t, strings.Replace(tile, "[1, 3]", ladder, 1), ""); !s.Ladder.Alone || len(s.Ladder.Rungs) != 2 {
			t.Errorf("%s: the ladder is %+v", ladder, s.Ladder)
		}
	}
}

func TestAStudyWithoutMembersIsTheOnlyOneOfItsTile(t *testing.T) {
	s := parse(t, `study: s
workload: {name: shop}
engine: {name: postgres}
storage: {ssd: {class: directory}}
ladder: [1]
`, "")
	variants, err := s.Expand()
	if err != nil {
		t.Fatal(err)
	}
	if one := variants[0].Tile(); len(one) != 1 || one[0].Member != "" || one[0].Weight != 1 || one[0].Title() != "ssd" {
		t.Errorf("its tile is %+v", one)
	}
	if all := s.Tile(); len(all) != 1 || all[0].Workload.Name != "shop" || all[0].Tile()[0] != all[0] {
		t.Errorf("its applications are %+v", all)
	}
}

func TestWhatIsAMembersOwnIsVaried(t *testing.T) {
	s := parse(t, tile+`matrix:
  members.shop.load.users: [2, 4]
  members.bulk.engine.cpu: [1, 2]
`, "")
	variants, err := s.Expand()
	if err != nil || len(variants) != 4 {
		t.Fatalf("%d variants: %v", len(variants), err)
	}
	one := variants[0].Tile()
	if variants[3].Members[0].Load.Users != 4 || one[0].Load.Users != 2 || one[1].Engine.CPU != 1 || variants[3].Members[1].Engine.CPU != 2 {
		t.Errorf("the first variant is %+v, the last %+v", variants[0].Members, variants[3].Members)
	}
	if one[0].Factors["load.users"] != "2" || one[0].Factors["members.bulk.engine.cpu"] != "1" {
		t.Errorf("factors of the shop are %v", one[0].Factors)
	}
}

func TestMembersThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		name, from, to, path string
		line                 int
	}{
		{"no name", "name: bulk\n    ", "", "members.1", 9},
		{"a name with a hyphen", "name: bulk", "name: bulk-1", "members.1.name", 9},
		{"one name twice", "name: bulk", "name: shop", "members.1.name", 9},
		{"no weight", "weight: 2", "weight: 0", "members.0.weight", 4},
		{"an unknown field", "weight: 2", "count: 2", "members.0.count", 4},
		{"a workload in addition", "ladder: [1, 3]", "ladder: [1, 3]\nworkload: {name: shop}", "workload", 15},
		{"objectives in addition", "ladder: [1, 3]", "ladder: [1, 3]\nobjectives: [\"p95 <= 1s\"]", "objectives", 15},
		{"an unknown workload", "workload: {name: shop}\n    engine: {name: mariadb}", "workload: {name: shpo}\n    engine: {name: mariadb}", "members.1.workload.name", 10},
		{"no workload", "workload: {name: shop}\n    engine: {name: mariadb}", "engine: {name: mariadb}", "members.1.workload", 9},
		{"an unknown engine", "engine: {name: mariadb}", "engine: {name: mariabd}", "members.1.engine.name", 11},
		{"no engine", "\n    engine: {name: mariadb}", "", "members.1.engine", 9},
		{"no users", "users: 4", "users: 0", "members.0.load.users", 7},
		{"a burst that does not fit", "every: 2m", "every: 2h", "members.0.load.bursts.every", 7},
		{"an unknown operation", "p95 <= 200ms", "purchse p95 <= 200ms", "members.0.objectives.0", 8},
		{"a ladder of users", "ladder: [1, 3]", "ladder: {of: users, rungs: [1, 3]}", "ladder.of", 14},
		{"a factor of the study", "ladder: [1, 3]", "ladder: [1, 3]\nmatrix:\n  load.users: [1, 2]", "matrix.load.users", 16},
		{"a factor of no member", "ladder: [1, 3]", "ladder: [1, 3]\nmatrix:\n  members.shp.load.users: [1, 2]", "matrix.members.shp.load.users", 16},
		{"a search without objectives", "ladder: [1, 3]", "ladder: auto", "", 0},
		{"a fault of nobody's instance", "ladder: [1, 3]", "ladder: [1, 3]\nfaults: [{at: 10s, do: kill instance 0}]", "faults.0.do", 15},
		{"a fault of no member's instance", "ladder: [1, 3]", "ladder: [1, 3]\nfaults: [{at: 10s, do: kill instance 0 of shp}]", "faults.0.do", 15},
		{"a fault of an instance that a tile lacks", "ladder: [1, 3]", "ladder: [1, 3]\nfaults: [{at: 10s, do: kill instance 2 of shop}]", "faults.0.do", 15},
		{"a fault of a member's instance", "ladder: [1, 3]", "ladder: [1, 3]\nfaults: [{at: 10s, do: kill instance 1 of shop}, {at: 11s, do: kill instance 0 db of bulk}]", "", 0},
	} {
		text := strings.Replace(tile, c.from, c.to, 1)
		if text == tile {
			t.Fatalf("%s: nothing is replaced", c.name)
		}
		_, err := study.Parse("tile.yaml", []byte(text), "", vocabulary())
		if c.path == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		var p *study.Problems
		if !errors.As(err, &p) || len(p.List) != 1 || p.List[0].Path != c.path || p.List[0].Line != c.line {
			t.Errorf("%s: the problem is not the one of %s on line %d: %v", c.name, c.path, c.line, err)
		}
	}
}
