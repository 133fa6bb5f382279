package report

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/analysistest"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/study"
)

// tilesFixture is a run of tiles with a shop and a bulk; the shop breaks first.
func tilesFixture(t *testing.T) *analysis.Analysis {
	t.Helper()
	limit := analysistest.MeanBelow(0.2)
	shop := analysistest.Tenant{Member: study.Member{Name: "shop", Weight: 2, Application: study.Application{Objectives: limit}}, OPM: 1000, Mean: 0.2 / 3, Alone: 0.04, Grows: 1, Falls: 0.5}
	bulk := analysistest.Tenant{Member: study.Member{Name: "bulk", Weight: 1, Application: study.Application{Objectives: limit}, ReferenceThroughput: 500}, OPM: 400, Mean: 0.2 / 6, Grows: 1, Falls: 0.3}
	a, err := analysis.Analyse(analysistest.Tenants([]int{1, 2, 8}, 3, analysistest.Noise{Throughput: 0.02, Response: 0.02}, 1, shop, bulk), analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	part := func(throughput, mean float64) rung.Burst {
		return rung.Burst{Share: 0.5, Throughput: throughput, Mean: mean, Percentile: map[string]float64{"p95": 2 * mean, "p99": 3 * mean}}
	}
	a.Tiles[0].Rungs = append(a.Tiles[0].Rungs, analysis.TileRung{Tiles: 16}) // whose trials failed
	a.Tiles[0].Bursty, a.Tiles[0].CostsAt, a.Tiles[0].Costs = "bulk", 2, []model.BurstCost{
		{Member: "shop", Response: stats.Exactly(3), Work: stats.Exactly(0.9), On: 0.15, Off: 0.05}, {Member: "idle", On: 3, Off: 1, Blurred: 4},
	}
	a.Tiles[0].Rungs[1].Members[0].Bursts = &rung.Bursts{On: part(1800, 0.15), Off: part(30, 0.05)}
	return a
}

// Every format shows the score and the gate of each number of tiles, the effect of the
// others and of more tiles on a member, and its work on and off burst. A narrow terminal
// shows as much as fits.
func TestTilesAreShown(t *testing.T) {
	a := tilesFixture(t)
	for name, c := range map[string]struct {
		write func(io.Writer, *analysis.Analysis) error
		want  []string
	}{
		"wide":     {func(w io.Writer, a *analysis.Analysis) error { return Terminal(w, a, 140, false) }, []string{"Score and gate of a", "of reference", "Response time alone and beside the others", "to fewest", "\nshop    alone  4", "\nshop           150 ms", "× 1.6", "On and off burst", "1,800 OPM", "failed", "What bulk costs the others on a, at 2 tiles", "p99 too long"}},
		"narrow":   {func(w io.Writer, a *analysis.Analysis) error { return Terminal(w, a, 40, false) }, []string{"Score and gate of a", "broken", "1,800 OPM"}},
		"markdown": {Markdown, []string{"## Score and gate of a", "| tiles | score | gate | member |", "| ---: | ---: | --- | --- | ---: |", "| shop | alone | 4", "| bulk | 8 |", "| shop | 150 ms | 50 ms | × 3 | × 0.9 |", "How much slower are the members of a tile on a than alone?", "| 2 | shop | off | 50 % | 30 OPM |"}},
	} {
		var out bytes.Buffer
		if err := c.write(&out, a); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", name, want, out.String())
			}
		}
	}
}

// The page has a section of tiles that fits on a screen and on a phone, light and dark.
func TestTilesOnThePage(t *testing.T) {
	ctx := startBrowser(t)
	a := tilesFixture(t)
	for name, v := range map[string]view{"wide": {Width: 1400, Height: 900}, "phone": {Width: 390, Height: 844}, "dark": {Width: 1400, Height: 900, Dark: true}} {
		t.Run(name, func(t *testing.T) {
			tab := opened(t, ctx, a, v)
			text := evaluate[string](t, tab, `document.querySelector("#tiles").textContent`)
			for _, want := range []string{"Score and gate of a", "broken, first", "failed", "shopalone4", "Response time alone and beside the others on a", "bulk 500 OPM (published)", "What bulk costs the others on a, at 2 tiles", "On and off burst"} {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in %s", want, text)
				}
			}
			if wide := evaluate[int](t, tab, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
				t.Errorf("the page is %d pixels wider than the window", wide)
			}
			if n := evaluate[int](t, tab, unnamed) + evaluate[int](t, tab, broken); n != 0 {
				t.Errorf("%d elements are not drawn or have no name", n)
			}
			snapshot(t, tab, "tiles-"+name)
		})
	}
}
