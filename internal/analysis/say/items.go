package say

import (
	"cmp"
	"slices"
	"strings"

	"plimsoll/internal/analysis/items"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/text/words"
)

// Lists gives tables of items, of an analysis with prices, their sentences.
func Lists(a *model.Analysis, tables []items.List) []items.List {
	tables = slices.Clone(tables)
	for i := range tables {
		l := &tables[i]
		w := listWords{List: l, work: a.Study.Work.Unit.Plural, at: Count(l.Rung, a.Study.Noun)}
		l.Differ, l.Bounds, l.Store = w.differ(), w.bounds(), w.store()
		l.Priced = pricedText(a, *l)
	}
	return tables
}

// listWords writes about a table of items.
type listWords struct {
	*items.List
	work string // queries
	at   string // 1 stream
}

// differ lists, for each other variant, the items that differ from the first variant's.
//
// Needs: One trial of each.
func (w listWords) differ() (texts []string) {
	for _, c := range w.Columns[1:] {
		var changes []items.ItemChange
		for _, change := range w.Changes {
			if change.To == c.Variant {
				changes = append(changes, change)
			}
		}
		if len(changes) == 0 {
			continue
		}
		instead := F("At %s, with `%s` instead of `%s`, ", w.at, c.Variant, changes[0].From)
		if !slices.ContainsFunc(changes, func(c items.ItemChange) bool { return c.Time.Confidence > 0 }) {
			texts = append(texts, F("%sno difference by item is shown: nothing was repeated.", instead))
			continue
		}
		texts = append(texts, instead+w.together(c)+w.changed(changes)+".")
	}
	return texts
}

// together states the change of the geometric mean; empty if its bounds are too wide to
// mean anything.
//
// Needs: The interval of the mean change over the items that all variants answered in every
// repetition.
func (w listWords) together(c items.Column) string {
	if !c.Against.Bounded() {
		return ""
	}
	return F("the geometric mean of the times of %d %s changes by %s; ", w.Common, w.work, ChangeText("mean", c.Against))
}

// changed counts the changes by direction, with the largest of each.
//
// Needs: The interval of each item's change, adjusted for items and variants: excludes 0 and is 5 % or more;
// within 10 %; neither.
func (w listWords) changed(changes []items.ItemChange) string {
	of := map[items.ChangeVerdict][]items.ItemChange{}
	for _, c := range changes {
		of[c.Shown] = append(of[c.Shown], c)
	}
	var parts []string
	for _, s := range []items.ChangeVerdict{items.Faster, items.Slower} {
		if all := of[s]; len(all) > 0 {
			most := slices.MaxFunc(all, func(a, b items.ItemChange) int { return cmp.Compare(abs(a.Time.Value), abs(b.Time.Value)) })
			parts = append(parts, F("%d of %d %s take %s, %s most: %s",
				len(all), len(changes), w.work, map[items.ChangeVerdict]string{items.Faster: F("less time"), items.Slower: F("more time")}[s], most.Item, ChangeText("mean", most.Time)))
		}
	}
	if n := len(of[items.Same]); n > 0 {
		parts = append(parts, F("%d of %d %s take about the same time", n, len(changes), w.work))
	}
	if n := len(of[""]); n > 0 {
		parts = append(parts, F("no difference is shown for %d of %d %s", n, len(changes), w.work))
	}
	return strings.Join(parts, "; ")
}

func abs(v float64) float64 { return max(v, -v) }

// bounds names, for each variant, the bottleneck of its items.
func (w listWords) bounds() (texts []string) {
	if !slices.ContainsFunc(w.Columns, func(c items.Column) bool { return !c.Shared }) {
		return []string{F("At %s several ran at once, so what was busy is told of no single one.", w.at)}
	}
	for at := range w.Columns {
		texts = append(texts, w.boundsOf(at))
	}
	if all := slices.Compact(slices.Clone(texts)); len(all) == 1 {
		return []string{words.Capital(all[0]) + "."}
	}
	for at, c := range w.Columns {
		texts[at] = F("`%s`: %s.", c.Variant, texts[at])
	}
	return texts
}

// boundsOf names the items of a variant by what bounds their time.
//
// Needs: “…: bound by storage: q03 and q07”: one user at a time; samples that cover half of an item's
// time, in every repetition (rules). “none of the queries is called bound …”: no item with such
// samples; several users.
func (w listWords) boundsOf(at int) string {
	names, known := map[items.Bound][]string{}, 0
	for _, r := range w.Rows {
		if b := r.Cells[at].Busy; b != nil {
			names[b.Bound], known = append(names[b.Bound], r.Name), known+1
		}
	}
	if known == 0 {
		return F("none of the %s is called bound by storage, CPU or network, since no three samples of telemetry lie within the time of one", w.work)
	}
	var parts []string
	for _, b := range []items.Bound{items.ByStorage, items.ByCPU, items.ByNetwork} {
		if len(names[b]) > 0 {
			parts = append(parts, F("bound by %s: %s", boundWords[b], Join(names[b])))
		}
	}
	if len(names[""]) > 0 {
		parts = append(parts, F("by none of storage, CPU and network alone: %s", Join(names[""])))
	}
	if short := w.Columns[at].Short; short > 0 {
		parts = append(parts, F("%d of %d %s are too short for three samples of telemetry", short, len(w.Rows), w.work))
	}
	return strings.Join(parts, "; ")
}

var boundWords = map[items.Bound]string{items.ByStorage: F("storage"), items.ByCPU: F("CPU"), items.ByNetwork: F("network")}

// store states, for each variant, the most that a faster store would gain.
func (w listWords) store() (texts []string) {
	for _, c := range w.Columns {
		texts = append(texts, w.storeOf(c))
	}
	return texts
}

// storeOf states the most that a faster store would gain with a variant.
//
// Needs: Busy time of the devices behind the storage: from 9 to 98 %; more; none sampled.
func (w listWords) storeOf(c items.Column) string {
	s := c.Storage
	switch {
	case s == nil:
		return F("With `%s`, no bound is known: no device behind the storage was sampled.", c.Variant)
	case s.Faster == 0:
		return F("With `%s` at %s, devices had a request under way for up to %s of the time, which bounds nothing.", c.Variant, w.at, words.Percent(s.Busy))
	}
	under := F("With `%s` at %s, devices had a request under way for at most %s of the time: with a store that takes no time, all %s together would ", c.Variant, w.at, words.Percent(s.Busy), w.work)
	if s.Little() {
		return F("%stake so much less at most.", under)
	}
	return under + F("be done at most %s times as fast.", words.Figures(s.Faster))
}

// pricedText states the basis of a table's costs, or why there are none.
//
// Needs: Prices of the study; the bytes that the engine counted.
func pricedText(a *model.Analysis, l items.List) string {
	unit := a.Study.Work.Unit
	p := a.Prices
	if p == nil {
		return F("There is no cost per %s: the study has no prices.", unit.Name)
	}
	text := F("Costs are those of %s that follow each other through all of the %s years that prices are counted for.", unit.Plural, words.Significant(p.Years, 3))
	if !slices.ContainsFunc(l.Columns, func(c items.Column) bool { return c.Cost != nil && c.Cost.Terabyte > 0 }) {
		text += F(" There is no cost per TB scanned: the engine did not count the bytes that each read.")
	}
	return text
}
