package report

import (
	"slices"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
)

// mostListed is how many resources of a kind a page has of a rung at once, the busiest. The
// others are in its packed table of resources: of a thousand nodes, ten rungs and a few
// variants they would be most of the file.
const mostListed = 30

// forPage is an analysis as its page has it at once.
func forPage(a *analysis.Analysis) *analysis.Analysis {
	page := *a
	page.Variants = slices.Clone(a.Variants)
	for i, v := range page.Variants {
		page.Variants[i].Rungs = slices.Clone(v.Rungs)
		for n := range v.Rungs {
			leaveBusiest(&page.Variants[i].Rungs[n])
		}
	}
	return &page
}

// leaveBusiest leaves a rung the busiest resources of each kind, which come first, says which of
// them hold throughput back, and counts the others.
func leaveBusiest(r *rung.Rung) {
	listed := map[resource.Kind]int{}
	var kept []resource.Resource
	for _, one := range r.Resources {
		if listed[one.Kind]++; listed[one.Kind] <= mostListed {
			one.HoldsBack = !one.Kind.IsSpace() && one.Limits()
			kept = append(kept, one)
			continue
		}
		if r.Unlisted == nil {
			r.Unlisted = map[resource.Kind]int{}
		}
		r.Unlisted[one.Kind]++
	}
	r.Resources = kept
}
