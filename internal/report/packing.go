package report

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// packTrial puts a trial's series on one grid and joins series of too many things into
// bands. It reads them twice, one at a time, because the grid and the groups must be known
// before the first value is placed.
func packTrial(id string, series iter.Seq2[result.Series, error]) (packedTrial, error) {
	p := packing{span: newSpan(), things: map[thing]int{}, groups: map[quantity]*packedGroup{}}
	for s, err := range series {
		if err != nil {
			return packedTrial{}, err
		}
		p.see(s)
	}
	g := p.span.buckets()
	for _, group := range p.order {
		group.begin(g)
	}
	for s, err := range series {
		if err != nil {
			return packedTrial{}, err
		}
		p.add(g, s)
	}
	packed := packedTrial{ID: id, Begin: g.edge + g.step/2, Step: g.step}
	for _, group := range p.order {
		packed.Series = append(packed.Series, group.pack()...)
	}
	return packed, nil
}

// packing is a trial while it is packed.
type packing struct {
	span   span
	things map[thing]int // on how many machines there are some of one name
	groups map[quantity]*packedGroup
	order  []*packedGroup // as they came
}

type thing struct{ kind, name, metric string }

type quantity struct{ kind, metric string }

// see takes from a series what must be known before values are added.
func (p *packing) see(s result.Series) {
	p.span.add(s)
	p.things[thing{s.Kind, s.Name, s.Metric}]++
	if superfluous(s) {
		return
	}
	of := quantity{s.Kind, s.Metric}
	group := p.groups[of]
	if group == nil {
		group = &packedGroup{kind: s.Kind, metric: s.Metric, unit: s.Unit}
		p.groups[of] = group
		p.order = append(p.order, group)
	}
	group.of++
	if group.kind == describe.DeviceKind {
		group.means = append(group.means, meanOf(s.Values))
	}
}

// add adds the values of a series, in the order of see.
func (p *packing) add(g buckets, s result.Series) {
	group := p.groups[quantity{s.Kind, s.Metric}]
	if superfluous(s) || group == nil {
		return
	}
	if s.Machine != "" && p.things[thing{s.Kind, s.Name, s.Metric}] > 1 {
		s.Name = strings.TrimSuffix(s.Machine+"/"+s.Name, "/")
	}
	group.add(g, withoutPartial(s))
}

// withoutPartial drops the last value of per-second driver series: the trial ends within
// that second, so that the value covers only part of it.
func withoutPartial(s result.Series) result.Series {
	if n := min(len(s.Times), len(s.Values)); n > 1 && bySecond(s) {
		s.Times, s.Values = s.Times[:n-1], s.Values[:n-1]
	}
	return s
}

// packedGroup are the series of one kind and metric.
type packedGroup struct {
	kind, metric, unit string
	of                 int            // series
	means              []float64      // of each, of devices
	places             map[int]int    // of those that are drawn one by one, by their number among all
	each               []packedSeries // by place
	band               *seriesBuckets // of all, where these are too many; else nil
	added              int
}

// begin makes room for the values.
func (p *packedGroup) begin(g buckets) {
	var drawn []int
	switch {
	case p.of <= maxNames || p.kind == describe.OperationKind:
		for n := range p.of {
			drawn = append(drawn, n)
		}
	default:
		p.band = newBucketed(g.count)
		drawn = p.busiest(keptDevices)
	}
	p.places, p.each = map[int]int{}, make([]packedSeries, len(drawn))
	for place, n := range drawn {
		p.places[n] = place
	}
}

// busiest are the n series of the largest mean, by their number; none but of devices.
func (p *packedGroup) busiest(n int) []int {
	sorted := make([]int, len(p.means))
	for i := range sorted {
		sorted[i] = i
	}
	slices.SortStableFunc(sorted, func(x, y int) int { return cmp.Compare(p.means[y], p.means[x]) })
	return sorted[:min(n, len(sorted))]
}

// add adds the values of the next series.
func (p *packedGroup) add(g buckets, s result.Series) {
	if p.band != nil {
		p.band.add(g, s)
	}
	if place, drawn := p.places[p.added]; drawn {
		own := newBucketed(g.count)
		own.add(g, s)
		p.each[place] = packedSeries{Kind: s.Kind, Name: s.Name, Metric: s.Metric, Unit: s.Unit}
		own.pack(&p.each[place])
	}
	p.added++
}

// pack returns the band, if there is one, and the series drawn one by one.
func (p *packedGroup) pack() []packedSeries {
	if p.band == nil {
		return p.each
	}
	joined := packedSeries{Kind: p.kind, Metric: p.metric, Unit: p.unit, Of: p.of}
	p.band.pack(&joined)
	return append([]packedSeries{joined}, p.each...)
}
