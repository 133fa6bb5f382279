package plan_test

import (
	"strings"
	"testing"

	"plimsoll/internal/describe"
	"plimsoll/internal/study/plan"
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

// Each member alone comes before the rungs of its repetition, and takes what a study of it
// alone does.
func TestMembersThatAreMeasuredAlone(t *testing.T) {
	p := planned(t, strings.Replace(ofTiles, "[1, 5]", "{rungs: [1, 5], alone: true}\nrepetitions: 2", 1), plan.Machine{}, usual)
	var ids []string
	for _, one := range p.Trials {
		ids = append(ids, one.ID)
	}
	if got, want := strings.Join(ids, " "), "a/alone-shop/1 a/alone-bulk/1 a/1/1 a/5/1 a/alone-shop/2 a/alone-bulk/2 a/1/2 a/5/2"; got != want {
		t.Errorf("trials are %s, want %s", got, want)
	}
	shop := planned(t, alone("postgres", "2", "4"), plan.Machine{}, usual)
	got, want := p.Trials[0], trial(t, shop, "a/2/1")
	if got.Alone != "shop" || got.Rung != 1 || got.DiskBytes != want.DiskBytes || got.MemoryBytes != want.MemoryBytes || got.Duration != want.Duration || got.Duration != p.Takes("a", 1, "shop") {
		t.Errorf("the shop alone takes %+v, a study of it %+v", got, want)
	}
	if again := p.Again(got, 2); again.ID != "a/alone-shop/1.2" || again.Alone != "shop" || again.Duration != got.Duration {
		t.Errorf("again it is %+v", again)
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	p.Trials[0].Alone, p.Trials[0].ID = "other", "a/alone-other/1"
	if p.Check() == nil {
		t.Error("a member that there is not is measured alone")
	}
}

// A search says what the members alone add to it, each as often as rungs are repeated.
func TestASearchWithMembersAlone(t *testing.T) {
	objectives := strings.ReplaceAll(ofTiles, "load: {users: 16}", `load: {users: 16}, objectives: ["p95 <= 1s"]`)
	whole := planned(t, strings.Replace(objectives, "[1, 5]", "{auto: {to: 8}}\nrepetitions: 3", 1), plan.Machine{}, usual)
	p := planned(t, strings.Replace(objectives, "[1, 5]", "{auto: {to: 8}, alone: true}\nrepetitions: 3", 1), plan.Machine{}, usual)
	if len(p.Trials) != 7 || p.Estimate.FewestTrials != whole.Estimate.FewestTrials+6 || p.Estimate.MostTrials != whole.Estimate.MostTrials+6 {
		t.Errorf("%d trials, %d to %d of the search, without the members alone %d to %d", len(p.Trials),
			p.Estimate.FewestTrials, p.Estimate.MostTrials, whole.Estimate.FewestTrials, whole.Estimate.MostTrials)
	}
	if more := 3 * (p.Takes("a", 1, "shop") + p.Takes("a", 1, "bulk")); p.Estimate.AtLeast-whole.Estimate.AtLeast != more || p.Estimate.AtMost-whole.Estimate.AtMost != more {
		t.Errorf("they add %s and %s, want %s", p.Estimate.AtLeast-whole.Estimate.AtLeast, p.Estimate.AtMost-whole.Estimate.AtMost, more)
	}
}

func TestFixedWorkIsNoMember(t *testing.T) {
	d := usual
	d.facts.Profile.Fixed = true
	p := planned(t, ofTiles, plan.Machine{}, d)
	if len(p.Problems) != 2 || !strings.Contains(p.Problems[0].Text, "member shop") {
		t.Errorf("problems are %v", p.Problems)
	}
}

func TestATileThatDoesNotFit(t *testing.T) {
	p := planned(t, ofTiles, plan.Machine{Capacity: describe.Capacity{MemoryBytes: new(int64(3 * gib))}}, usual)
	if len(p.Problems) != 1 || !strings.Contains(p.Problems[0].Hint, "tiles fit") {
		t.Errorf("problems are %v", p.Problems)
	}
}
