package plan_test

import (
	"strings"
	"testing"

	"plimsoll/internal/plan"
)

// ofTiles is a study of two members.
const ofTiles = `study: t
members:
  - {name: shop, weight: 2, workload: {name: shop}, engine: {name: postgres}, load: {users: 4}}
  - {name: bulk, workload: {name: shop}, engine: {name: mariadb}, load: {users: 16}}
storage: {a: {class: directory, path: /a}}
ladder: [1, 5]
phases: {warmup: 5s, measure: 15s, ramp_rate: 0}
`

// alone is a study of one of them.
func alone(engine, ladder, users string) string {
	return "study: t\nworkload: {name: shop}\nengine: {name: " + engine + "}\nstorage: {a: {class: directory, path: /a}}\nladder: [" + ladder +
		"]\nload: {users: " + users + "}\nphases: {warmup: 5s, measure: 15s, ramp_rate: 0}\n"
}

func TestATileTakesWhatItsMembersTake(t *testing.T) {
	p := planned(t, ofTiles, plan.Machine{}, usual)
	shop, bulk := planned(t, alone("postgres", "10", "4"), plan.Machine{}, usual), planned(t, alone("mariadb", "5", "16"), plan.Machine{}, usual)
	got, ofShop, ofBulk := trial(t, p, "a/5/1"), trial(t, shop, "a/10/1"), trial(t, bulk, "a/5/1")
	if got.DiskBytes != ofShop.DiskBytes+ofBulk.DiskBytes {
		t.Errorf("five tiles take %d bytes, ten shops %d and five bulks %d", got.DiskBytes, ofShop.DiskBytes, ofBulk.DiskBytes)
	}
	const itself = 128 << 20
	if got.MemoryBytes != ofShop.MemoryBytes+ofBulk.MemoryBytes-itself {
		t.Errorf("five tiles take %d bytes of memory, ten shops %d and five bulks %d", got.MemoryBytes, ofShop.MemoryBytes, ofBulk.MemoryBytes)
	}
	if len(p.Datasets) != 2 || p.Datasets[0].Variants[0] != "a.shop" || p.Noun() != "tile" || len(p.Facts) != 2 {
		t.Errorf("data sets are %+v, a rung counts %ss, and there are facts of %d", p.Datasets, p.Noun(), len(p.Facts))
	}
	if note := strings.Join(p.Notes, "\n"); !strings.Contains(note, "2 of shop (shop) and 1 of bulk (shop)") || !strings.Contains(note, "10 of shop and 5 of bulk") {
		t.Errorf("notes are %s", note)
	}
}

func TestFixedWorkIsNoMember(t *testing.T) {
	d := usual
	d.facts.Profile.Fixed = true
	p := planned(t, ofTiles, plan.Machine{}, d)
	if len(p.Problems) != 2 || !strings.Contains(p.Problems[0].What, "member shop") {
		t.Errorf("problems are %v", p.Problems)
	}
}

func TestATileThatDoesNotFit(t *testing.T) {
	p := planned(t, ofTiles, plan.Machine{MemoryBytes: 3 * gib}, usual)
	if len(p.Problems) != 1 || !strings.Contains(p.Problems[0].Hint, "tiles fit") {
		t.Errorf("problems are %v", p.Problems)
	}
}
