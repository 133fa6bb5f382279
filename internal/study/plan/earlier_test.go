package plan_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/internal/study/plan"
)

// Plans of earlier versions describe the variant's own storage in fields of the facts, and
// count what lies on others in its figures. Plans of this version stay as they are.
func TestFactsOfEarlierVersions(t *testing.T) {
	const servers = `"servers": [{"milli_cpu": 5, "memory_bytes": 6, "volume": true, "placed": ["store"]}, {"milli_cpu": 1, "memory_bytes": 2}]`
	const figures = `"dataset": {"key": "k", "bytes": 60, "user_bytes": 6, "files": 30}, "overhead": 10, "files": 4, "place": "/a", "capacity": 100, "media": 3, "provisioner": "fast", "claim_bytes": 7`
	of := func(facts string) string {
		return `{"study": {}, "variants": [{"name": "v", "storage_name": "a"}, {"name": "w", "storage_name": "b", "members": [{"name": "shop", "weight": 1}]}], "facts": {"v": {` + facts + `}, "w.shop": {"place": "/b"}}}`
	}
	own := plan.StorageFacts{
		Place: "/a", Capacity: new(int64(100)), Media: 3, ClaimSource: plan.ClaimSource{Provisioner: "fast"}, ClaimBytes: 7,
		Holds: &plan.Holding{Bytes: 60, UserBytes: 6, Files: 30, Overhead: 10, ServerFiles: 4},
	}
	rest, unused := own, own
	rest.Holds, unused.Holds = &plan.Holding{Bytes: 10, UserBytes: 6, Files: 30, Overhead: 9, ServerFiles: 4}, nil
	store := plan.StorageFacts{Place: "/store", Copies: 2, Holds: &plan.Holding{Bytes: 50, Overhead: 1}}
	const placed = `, "placed": {"store": {"place": "/store", "copies": 2, "holds": {"bytes": 50, "overhead": 1}}}`
	for name, c := range map[string]struct {
		facts string
		want  map[string]plan.StorageFacts
	}{
		"one storage":  {figures, map[string]plan.StorageFacts{"a": own}},
		"two storages": {figures + placed, map[string]plan.StorageFacts{"a": rest, "store": store}},
		"not its own":  {figures + placed + `, "unused": true`, map[string]plan.StorageFacts{"a": unused, "store": store}},
	} {
		t.Run(name, func(t *testing.T) {
			var p, again plan.Plan
			if err := json.Unmarshal([]byte(of(c.facts+", "+servers)), &p); err != nil {
				t.Fatal(err)
			}
			f := p.Facts["v"]
			if diff := cmp.Diff(c.want, f.Storages); diff != "" {
				t.Error(diff)
			}
			want := []plan.Server{{MilliCPU: 5, MemoryBytes: 6, Volumes: []string{"a", "store"}}, {MilliCPU: 1, MemoryBytes: 2}}
			if diff := cmp.Diff(want, f.Servers); diff != "" || f.Dataset.Bytes != 60 || p.Facts["w.shop"].Storages["b"].Place != "/b" {
				t.Errorf("%s; facts are %+v", diff, p.Facts)
			}
			text, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &again); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(p.Facts, again.Facts); diff != "" {
				t.Errorf("written and read again: %s", diff)
			}
		})
	}
}

// What is no plan is refused, not taken for an earlier one.
func TestFactsThatAreNone(t *testing.T) {
	var p plan.Plan
	if err := json.Unmarshal([]byte(`{"study": {}, "facts": {"v": {"overhead": "much"}}}`), &p); err == nil {
		t.Errorf("read %+v", p)
	}
}
