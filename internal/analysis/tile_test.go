package analysis

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
	"plimsoll/reference"
)

// tiles is a run of two shops and one bulk in each tile. The shops are fast enough up to
// 8 tiles, and the bulk up to 2.
func tiles(rungs ...int) *result.Run {
	most := map[string]int{"shop": 8, "bulk": 2}
	mean := func(member string, tiles int) float64 {
		if tiles <= most[member] {
			return 0.1
		}
		return 0.5
	}
	return analysistest.Tile(study.Ladder{Rungs: rungs}, rungs, mean,
		study.Member{Name: "shop", Weight: 2, Application: study.Application{Objectives: analysistest.MeanBelow(0.2), Load: study.Load{Users: 2}}},
		study.Member{Name: "bulk", Weight: 1, Application: study.Application{Objectives: analysistest.MeanBelow(0.2), Load: study.Load{Users: 2}}})
}

// A rung is carried when every member keeps its objectives, and who does not is named; each
// member is judged by its own instances.
func TestATileIsCarriedByAllOfItsMembers(t *testing.T) {
	a, err := Analyse(tiles(1, 2, 4, 8), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Tiles) != 1 {
		t.Fatalf("tiles are %+v", a.Tiles)
	}
	tile := a.Tiles[0]
	if tile.Rung != 2 || tile.Next != 4 || !slices.Equal(tile.Broken, []string{"bulk"}) || !slices.Equal(tile.Members, []string{"a.shop", "a.bulk"}) {
		t.Errorf("the tile is %+v", tile)
	}
	if want := "`a` carries 2 to 3 tiles. Measured once: chance is not excluded. On `a`, bulk breaks first, at 4 tiles: mean was 500 ms, over mean ≤ 200 ms."; a.Headline != want {
		t.Errorf("the headline is %s, want %s", a.Headline, want)
	}
	if len(a.Variants) != 2 || a.Variants[0].LoadLine.Rung != 16 || !a.Variants[0].LoadLine.Open || a.Variants[1].LoadLine.Rung != 2 {
		t.Errorf("load lines of the members are %+v and %+v", a.Variants[0].LoadLine, a.Variants[1].LoadLine)
	}
	ids := map[string]bool{}
	for _, one := range a.Trials {
		ids[one.ID] = true
	}
	if len(ids) != 8 || !ids["a.shop/8/1"] || !ids["a.bulk/1/1"] {
		t.Errorf("trials are %v", ids)
	}
}

func TestTilesAtTheEndsOfTheLadder(t *testing.T) {
	for _, c := range []struct {
		rungs      []int
		rung, next int
		broken     []string
		score      float64 // at rung
		answer     string
	}{
		{[]int{1, 2}, 2, 0, nil, 2, "`a` carries at least 2 tiles."},
		{[]int{4, 8}, 0, 4, []string{"bulk"}, 0, "`a` carries fewer than 4 tiles."},
		{[]int{16}, 0, 16, []string{"shop", "bulk"}, 0, "`a` carries fewer than 16 tiles."},
	} {
		a, err := Analyse(tiles(c.rungs...), Options{})
		if err != nil {
			t.Fatal(err)
		}
		one := a.Tiles[0]
		if one.Rung != c.rung || one.Next != c.next || !slices.Equal(one.Broken, c.broken) || a.Parts[0].Text != c.answer {
			t.Errorf("%v: %s, %+v", c.rungs, a.Parts[0].Text, one)
		}
		if last := one.Rungs[len(one.Rungs)-1]; c.rung > 0 && (last.Tiles != c.rung || last.Score.Value != c.score) {
			t.Errorf("%v: the score is %+v", c.rungs, last)
		}
	}
}

// A bill is for tiles: what one carried tile costs, whatever each member does in it.
func TestThePriceOfATile(t *testing.T) {
	run := tiles(1, 2, 4)
	run.Plan.Study.Prices = &study.Prices{Currency: "USD", Items: []study.PriceItem{{Name: "drive", Price: 100, Quantity: 2}, {Name: "of another", Price: 1, Quantity: 1, For: map[string]string{"storage": "b"}}}}
	a, err := Analyse(run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p := a.Prices; p == nil || p.Noun != "tile" || len(p.Variants) != 1 || p.Variants[0].Variant != "a" || p.Variants[0].Total != 200 || p.Variants[0].PerInstance != 100 ||
		!slices.Equal(p.Text, []string{"The cheapest tile is on `a`: 100 USD for the period, at 2 tiles."}) {
		t.Errorf("the prices are %+v", p)
	}
	var asked []string
	for _, one := range a.Answers {
		if strings.HasSuffix(one.Question, "cost?") {
			asked = append(asked, one.Question)
		}
	}
	priced := slices.DeleteFunc(slices.Clone(a.Findings), func(f Finding) bool { return f.Kind != "price" })
	if !slices.Equal(asked, []string{"What does a tile cost?"}) || len(priced) != 1 || priced[0].Text != a.Prices.Text[0] {
		t.Errorf("questions are %q and findings %+v", asked, priced)
	}
	run.Plan.Study.Prices.Items = nil
	if a, err = Analyse(run, Options{}); err != nil || a.Prices != nil || !slices.ContainsFunc(a.Warnings, func(w trust.Warning) bool { return w.Kind == "prices" }) {
		t.Errorf("without items the prices are %+v, %v", a.Prices, err)
	}
}

// A trial that failed while users were at work breaks the rung for all, with its cause.
func TestATileThatFailed(t *testing.T) {
	run := tiles(1, 2)
	failure := &result.Failure{Stage: "drive", Cause: "member bulk: bulk-driver-0 ended early"}
	for _, t := range run.Of("a/2/1") {
		t.Status, t.Failure = result.Failed, failure
	}
	a, err := Analyse(run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if tile := a.Tiles[0]; tile.Rung != 1 || tile.Next != 2 || len(tile.Broken) != 2 {
		t.Errorf("the tile is %+v", tile)
	}
	for _, v := range a.Variants {
		if failed := v.Rungs[1].Break.Failed; failed == nil || failed.Failure.Cause != failure.Cause {
			t.Errorf("%s breaks by %+v", v.Name, failed)
		}
	}
}

// twoTenants are a shop that reaches its limit of 200 ms at 3 tiles, and a bulk that does at 6.
func twoTenants() (shop, bulk analysistest.Tenant) {
	limit := analysistest.MeanBelow(0.2)
	return analysistest.Tenant{Member: study.Member{Name: "shop", Weight: 2, Application: study.Application{Objectives: limit}}, OPM: 1000, Mean: 0.2 / 3, Grows: 1, Falls: 0.5},
		analysistest.Tenant{Member: study.Member{Name: "bulk", Weight: 1, Application: study.Application{Objectives: limit}}, OPM: 400, Mean: 0.2 / 6, Grows: 1, Falls: 0.3}
}

func near(got, want float64) bool { return math.Abs(got-want) < 0.01*math.Abs(want) }

// Of two members that break at the same rung, the one that reaches its limit at fewer tiles
// breaks first. The score and the interference agree with the data.
func TestWhoBreaksFirstScoreAndInterference(t *testing.T) {
	shop, bulk := twoTenants()
	shop.Worst, shop.WorstBy = 7, 1.3
	a, err := Analyse(analysistest.Tenants([]int{1, 2, 8}, 3, analysistest.Noise{}, 1, bulk, shop), Options{})
	if err != nil {
		t.Fatal(err)
	}
	tile := a.Tiles[0]
	if tile.Rung != 2 || tile.Next != 8 || len(tile.Broken) != 2 || tile.Peak != 2 || tile.Flat != 0 {
		t.Errorf("the tile is %+v", tile)
	}
	if b := tile.First; b == nil || b.Member != "shop" || !near(b.At, 3) || b.Tile != 7 || b.Instance/2 != 6 || b.Objective == nil || b.Objective.Metric != "mean" {
		t.Fatalf("first to break: %+v", tile.First)
	}
	// Two tiles: (2^-0.5 * 2^-0.3)^(1/2) each.
	if r := tile.Rungs[1]; r.Tiles != 2 || !r.Kept || !near(r.Score.Value, 2*math.Pow(2, -0.4)) || len(r.Each) != 2 || !near(r.Members[1].Relative, math.Pow(2, -0.5)) {
		t.Errorf("two tiles: %+v", r)
	}
	if len(tile.References) != 2 || tile.References[1].Member != "shop" || !near(tile.References[1].Throughput, 1000) || tile.References[1].Published || tile.References[1].Variant != "a" {
		t.Errorf("references are %+v", tile.References)
	}
	if i := tile.Interference; len(i) != 2 || i[1].Member != "shop" || i[1].From != 1 || i[1].To != 8 || !near(i[1].Mean.Value, 8) {
		t.Errorf("interference is %+v", tile.Interference)
	}
}

// Each member alone is what its tile and the most tiles are compared with. Its trials are
// listed, and no part of the rungs.
func TestMembersAloneAndBesideEachOther(t *testing.T) {
	shop, bulk := twoTenants()
	shop.Alone, bulk.Alone = shop.Mean/2, bulk.Mean
	a, err := Analyse(analysistest.Tenants([]int{1, 2, 8}, 3, analysistest.Noise{Throughput: 0.02, Response: 0.02}, 1, shop, bulk), Options{})
	if err != nil {
		t.Fatal(err)
	}
	tile := a.Tiles[0]
	i := tile.Interference[0]
	roughly := func(got, want float64) bool { return math.Abs(got/want-1) < 0.05 }
	if i.Alone == nil || !roughly(i.Alone.Mean.Value, shop.Alone) || !roughly(i.Tile.Mean.Value, shop.Mean) || !roughly(i.Top.Mean.Value, 8*shop.Mean) {
		t.Fatalf("the shop is %+v", i)
	}
	if !roughly(i.TileOverAlone.Mean.Value, 2) || !roughly(i.TopOverAlone.Mean.Value, 16) || !roughly(i.Mean.Value, 8) || !i.TileOverAlone.Mean.Bounded() {
		t.Errorf("the shop is slower by %+v, %+v and %+v", i.TileOverAlone, i.TopOverAlone, i.Mean)
	}
	if len(tile.Rungs) != 3 || a.Variants[0].Rungs[0].Repetitions != 3 {
		t.Errorf("rungs are %+v", tile.Rungs)
	}
	alone := slices.DeleteFunc(slices.Clone(a.Trials), func(one TrialInfo) bool { return !one.Alone })
	if len(alone) != 6 || len(a.Trials) != 24 || alone[0].ID != "a.shop/alone-shop/1" || alone[0].Rung != 2 {
		t.Errorf("of %d trials, those alone are %+v", len(a.Trials), alone)
	}
	if len(a.Answers) < 2 || !strings.Contains(a.Answers[1].Text, "in 1 tile and") {
		t.Errorf("the answers are %+v", a.Answers)
	}
	one, err := Analyse(analysistest.Tenants([]int{1}, 1, analysistest.Noise{}, 1, shop, bulk), Options{})
	if i := one.Tiles[0].Interference; err != nil || len(i) != 2 || i[0].To != 1 || i[0].Mean.Value != 0 || !near(i[0].TopOverAlone.Mean.Value, 2) {
		t.Errorf("a single rung beside the members alone: %+v, %v", i, err)
	}
}

// A member that failed alone has nothing to be compared with; the run says so, and its verdict is
// the same.
func TestAMemberThatFailedAlone(t *testing.T) {
	shop, bulk := twoTenants()
	shop.Alone = shop.Mean
	run := analysistest.Tenants([]int{1, 2}, 1, analysistest.Noise{}, 1, shop, bulk)
	run.Trials[0].Status, run.Trials[0].Failure = result.Failed, &result.Failure{Stage: "start", Cause: "no port"}
	for _, one := range run.Trials {
		analysistest.Sampled(one, "cpu", "", "utilisation", 0.3)
	}
	a, err := Analyse(run, Options{MinGrade: "E"})
	if err != nil {
		t.Fatal(err)
	}
	if i := a.Tiles[0].Interference[0]; i.Alone != nil || i.TileOverAlone != nil || a.Tiles[0].Rung != 2 {
		t.Errorf("the tile is %+v", a.Tiles[0])
	}
	if !slices.ContainsFunc(a.Warnings, func(w trust.Warning) bool { return w.Trial == "a.shop/alone-shop/1" && w.Kind == "failed" }) {
		t.Errorf("warnings are %+v", a.Warnings)
	}
}

// What the bursts of one member cost the others is said of each that has none; with two bursty
// members, whose they are cannot be told.
func TestWhatABackupCosts(t *testing.T) {
	shop, backup := twoTenants()
	shop.Objectives, backup.Objectives = nil, nil
	backup.Name, backup.Load.Bursts = "backup", &study.Bursts{Every: unit.Duration(60 * time.Second), On: unit.Duration(20 * time.Second)}
	run := analysistest.Tenants([]int{1, 2}, 3, analysistest.Noise{}, 1, shop, backup)
	for _, one := range run.Trials {
		one.Bursts = &result.Bursts{
			On:  result.BurstPart{Seconds: 30, Whole: result.OperationSummary{Count: 900, Mean: 0.3 + 0.001*float64(one.Position%3)}},
			Off: result.BurstPart{Seconds: 30, Whole: result.OperationSummary{Count: 1000, Mean: 0.2}},
		}
	}
	a, err := Analyse(run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	tile := a.Tiles[0]
	if tile.Bursty != "backup" || tile.CostsAt != 2 || len(tile.Costs) != 1 {
		t.Fatalf("the tile is %+v", tile)
	}
	if c := tile.Costs[0]; c.Member != "shop" || !near(c.Response.Value, 1.505) || !c.Response.Bounded() || c.Response.Low <= 1 || !near(c.Work.Value, 0.9) || c.Off != 0.2 {
		t.Errorf("the backup costs %+v", c)
	}
	if !slices.ContainsFunc(a.Answers, func(one Answer) bool {
		return one.Question == "What does backup cost the other members on a?" && strings.HasPrefix(one.Text, "At 2 tiles, while backup is at work, shop takes 1.5")
	}) {
		t.Errorf("the answers are %+v", a.Answers)
	}
	// Of responses that take longer than a tenth of the burst, nobody knows which it delayed.
	for _, one := range run.Trials {
		if one.Variant.Member != "shop" {
			continue
		}
		slow := &one.Bursts.Off.Whole
		slow.P50, slow.P95, slow.P99, slow.P999, slow.Max = 0.2, 0.3, 2.5, 2.5, 2.5
	}
	a, err = Analyse(run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c := a.Tiles[0].Costs[0]; c.Blurred != 2.5 || c.Burst != 20 || c.Response.Value != 0 || c.Work.Value != 0 {
		t.Errorf("of slow responses the backup costs %+v", c)
	}
	for i := range run.Plan.Variants[0].Members {
		run.Plan.Variants[0].Members[i].Load.Bursts = backup.Load.Bursts
	}
	if a, err := Analyse(run, Options{}); err != nil || a.Tiles[0].Bursty != "" || len(a.Tiles[0].Costs) != 0 {
		t.Errorf("with two bursty members: %+v, %v", a.Tiles[0], err)
	}
}

// More tiles than the storage serves at once do no more in all.
func TestTilesThatAddNothing(t *testing.T) {
	shop, bulk := twoTenants()
	shop.Grows, shop.Falls, bulk.Grows, bulk.Falls = 0.1, 1.1, 0.1, 1.1
	shop.ReferenceThroughput = 500
	a, err := Analyse(analysistest.Tenants([]int{1, 2, 4}, 3, analysistest.Noise{Throughput: 0.01}, 1, shop, bulk), Options{})
	if err != nil {
		t.Fatal(err)
	}
	tile := a.Tiles[0]
	if tile.Rung != 4 || tile.Peak != 1 || tile.Flat != 2 || tile.First != nil || !tile.References[0].Published {
		t.Errorf("the tile is %+v", tile)
	}
	once, err := Analyse(analysistest.Tenants([]int{1, 2, 4}, 1, analysistest.Noise{}, 1, shop, bulk), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if tile := once.Tiles[0]; tile.Flat != 0 || tile.Peak != 1 || !near(tile.Rungs[0].Score.Value, math.Sqrt(2)) {
		t.Errorf("measured once, nothing is shown to add nothing, and one tile scores %+v: %+v", tile.Rungs[0].Score, tile)
	}
}

// Tiles that add a little in all are not said to add nothing where their scores scatter.
func TestTilesThatAddALittle(t *testing.T) {
	shop, bulk := twoTenants()
	shop.Grows, shop.Falls, bulk.Grows, bulk.Falls = 0.1, 0.85, 0.1, 0.85
	for seed := range uint64(20) {
		a, err := Analyse(analysistest.Tenants([]int{1, 2, 4}, 3, analysistest.Noise{Throughput: 0.1}, seed, shop, bulk), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if tile := a.Tiles[0]; tile.Flat != 0 {
			t.Errorf("seed %d: %d tiles are said to add nothing", seed, tile.Flat)
		}
	}
}

// A member that a failed trial blames is the one that breaks.
func TestAMemberThatFailed(t *testing.T) {
	run := tiles(1, 2)
	for _, t := range run.Of("a/2/1") {
		t.Status, t.Failure = result.Failed, &result.Failure{Stage: "drive", Cause: "member bulk: bulk-driver-0 ended early", Member: "bulk"}
	}
	a, err := Analyse(run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if b := a.Tiles[0].First; b == nil || b.Member != "bulk" || b.Tile != 0 {
		t.Errorf("first to break: %+v", b)
	}
}

// Published results of tiles are told by what their authors conclude.
func TestPublishedTiles(t *testing.T) {
	published, err := reference.Get("vsan-tiles")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := published.Run()
	if err != nil {
		t.Fatal(err)
	}
	a, err := Analyse(tiles(1, 2), Options{Published: &Published{Run: theirs, Notes: []string{"40 tiles"}}})
	if err != nil || a.Beside == nil || len(a.Beside.Notes) != 1 || len(a.Beside.Curves) != 0 {
		t.Errorf("beside: %+v, %v", a.Beside, err)
	}
}

// Scores of all variants are relative to the same tile, so that they can be compared.
func TestScoresOfVariantsAreComparable(t *testing.T) {
	shop, bulk := twoTenants()
	run := analysistest.Tenants([]int{1, 2}, 1, analysistest.Noise{}, 1, shop, bulk)
	shop.OPM, bulk.OPM = 2*shop.OPM, 2*bulk.OPM
	other := analysistest.Tenants([]int{1, 2}, 1, analysistest.Noise{}, 1, shop, bulk)
	v := other.Plan.Variants[0]
	v.Name = "b"
	run.Plan.Variants = append(run.Plan.Variants, v)
	for _, whole := range other.Tiles() {
		tile := result.TileOf(other.Of(whole.ID)...)
		tile.ID, tile.Variant = "b"+whole.ID[1:], v
		run.Trials = append(run.Trials, tile.Trials()...)
	}
	a, err := Analyse(run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if one, two := a.Tiles[0].Rungs[0].Score.Value, a.Tiles[1].Rungs[0].Score.Value; !near(one, 1) || !near(two, 2) || a.Tiles[1].References[0].Variant != "a" {
		t.Errorf("scores %g and %g, references %+v", one, two, a.Tiles[1].References)
	}
}
