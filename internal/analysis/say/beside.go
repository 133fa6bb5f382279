package say

import (
	"slices"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/pairwise"
	"plimsoll/internal/text/words"
)

// Agreements compare each of ours with the published variant on the same storage
// at the largest count that both have.
//
// Needs: A published variant on the same storage, and a count that both have.
func Agreements(curves []model.GrowthCurve, noun string) (texts []string) {
	for _, ours := range curves {
		at := slices.IndexFunc(curves, func(c model.GrowthCurve) bool { return c.Published && c.Storage != "" && c.Storage == ours.Storage })
		if ours.Published || at < 0 {
			continue
		}
		a, b, ok := pairwise.LargestCommon(ours.Points, curves[at].Points)
		if !ok {
			continue
		}
		text := F("At %s `%s` does %s times the throughput of one; the published `%s` does %s times", Count(a.Instances, noun),
			ours.Variant, words.Figures(a.Throughput), curves[at].Variant, words.Figures(b.Throughput))
		if a.Response > 0 && b.Response > 0 {
			text += F(", with %s and %s times the response time", words.Figures(a.Response), words.Figures(b.Response))
		}
		texts = append(texts, text+".")
	}
	return texts
}
