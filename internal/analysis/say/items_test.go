package say

import (
	"strings"
	"testing"

	"plimsoll/internal/analysis/items"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/price"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/describe"
)

func listed() *model.Analysis {
	change := func(item string, v float64, shown items.ChangeVerdict) items.ItemChange {
		return items.ItemChange{Item: item, From: "hdd", To: "ssd", Shown: shown, Time: stats.Interval{Value: v, Low: v - 0.02, High: v + 0.02, Confidence: 0.95}}
	}
	busy := func(b items.Bound) []items.Cell { return []items.Cell{{Busy: &items.Utilisation{Bound: b}}, {}} }
	a := &model.Analysis{Lists: []items.List{{
		Rung:    1,
		Columns: []items.Column{{Variant: "hdd", Storage: &items.Storage{Busy: 0.75, Faster: 4}, Short: 1}, {Variant: "ssd", Storage: &items.Storage{Busy: 1}, Short: 4, Against: stats.Interval{Value: -0.4, Low: -0.5, High: -0.3, Confidence: 0.95}}},
		Common:  4,
		Rows:    []items.Row{{Name: "q1", Cells: busy(items.ByStorage)}, {Name: "q2", Cells: busy(items.ByCPU)}, {Name: "q3", Cells: busy("")}, {Name: "q4", Cells: make([]items.Cell, 2)}},
		Changes: []items.ItemChange{change("q1", -0.5, items.Faster), change("q2", -0.2, items.Faster), change("q3", 0.01, items.Same), change("q4", 0.2, "")},
	}}}
	a.Study.Noun = "stream"
	a.Study.Work.Unit = describe.Unit{Name: "query", Plural: "queries"}
	return a
}

func TestTablesOfItemsHaveTheirSentences(t *testing.T) {
	a := listed()
	l := Lists(a, a.Lists)[0]
	for _, c := range []struct{ got, want string }{
		{strings.Join(l.Differ, "|"), "At 1 stream, with `ssd` instead of `hdd`, the geometric mean of the times of 4 queries changes by −40.0 % (−50.0 to −30.0); 2 of 4 queries take less time, q1 most: −50.0 % (−52.0 to −48.0); 1 of 4 queries take about the same time; no difference is shown for 1 of 4 queries."},
		{l.Bounds[0], "`hdd`: bound by storage: q1; bound by CPU: q2; by none of storage, CPU and network alone: q3; 1 of 4 queries are too short for three samples of telemetry."},
		{l.Bounds[1], "`ssd`: none of the queries is called bound by storage, CPU or network, since no three samples of telemetry lie within the time of one."},
		{l.Store[0], "With `hdd` at 1 stream, devices had a request under way for at most 75 % of the time: with a store that takes no time, all queries together would be done at most 4 times as fast."},
		{l.Store[1], "With `ssd` at 1 stream, devices had a request under way for up to 100 % of the time, which bounds nothing."},
		{l.Priced, "There is no cost per query: the study has no prices."},
	} {
		if c.got != c.want {
			t.Errorf("got  %s\nwant %s", c.got, c.want)
		}
	}
}

func TestWhatIsMissingSaysWhy(t *testing.T) {
	a := listed()
	a.Prices = &price.Prices{Years: 3}
	l := &a.Lists[0]
	for i := range l.Changes {
		l.Changes[i].Time, l.Changes[i].Shown = stats.Exactly(0.5), ""
	}
	l.Columns[0].Storage, l.Columns[0].Shared, l.Columns[1].Shared = nil, true, true
	l.Columns[1].Storage = &items.Storage{Busy: 0.02, Faster: 1.0204}
	written := Lists(a, a.Lists)[0]
	l = &written
	for _, c := range []struct{ got, want string }{
		{l.Differ[0], "nothing was repeated"}, {l.Bounds[0], "several ran at once"}, {l.Store[0], "no device behind the storage was sampled"}, {l.Store[1], "2.0 % of the time: with a store that takes no time, all queries together would take so much less at most"}, {l.Priced, "the engine did not count the bytes"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%s\nlacks %s", c.got, c.want)
		}
	}
}
