package analysis

import (
	"fmt"
	"slices"

	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/words"
)

// beside is nil where nothing is published or nothing was measured, or where there are
// neither curves nor claims; published figures that nobody can use are no reason to refuse
// a report of our own.
func beside(a *Analysis, p *Published) *Beside {
	measured := slices.ContainsFunc(a.Variants, func(v Variant) bool { return v.Best != nil })
	if p == nil || a.Run.Reference != "" || !measured {
		return nil
	}
	theirs, err := Analyse(p.Run, Options{})
	if err != nil {
		return nil
	}
	b := &Beside{Name: theirs.Study.Name, Source: theirs.Run.Reference, Claims: p.Claims}
	if ours, published := relatives(a.Variants, false), relatives(theirs.Variants, true); len(ours) > 0 && len(published) > 0 {
		b.Curves = append(ours, published...)
		b.Text = agreements(b.Curves, a.Study.Noun)
	}
	if len(b.Curves) == 0 && len(b.Claims) == 0 {
		return nil
	}
	return b
}

// relatives are those of the variants that grow: of one with a single rung nothing can be
// said.
func relatives(variants []Variant, published bool) (all []Relative) {
	for i := range variants {
		v := &variants[i]
		first := rung.First(v.Rungs)
		if first == nil || first.Throughput.Value <= 0 {
			continue
		}
		r := Relative{Variant: v.Name, Label: v.Label, Published: published, Storage: v.Factors["storage"]}
		for _, rung := range v.Rungs {
			if rung.Throughput.Value > 0 {
				r.Points = append(r.Points, RelativePoint{
					Instances:  rung.Instances,
					Throughput: rung.Throughput.Value / first.Throughput.Value * float64(first.Instances),
					Response:   stats.Ratio(rung.Mean.Value, first.Mean.Value),
				})
			}
		}
		if len(r.Points) > 1 {
			all = append(all, r)
		}
	}
	return all
}

// agreements compare each of ours with the published variant on the same storage
// at the largest count that both have.
func agreements(curves []Relative, noun string) (texts []string) {
	for _, ours := range curves {
		at := slices.IndexFunc(curves, func(c Relative) bool { return c.Published && c.Storage != "" && c.Storage == ours.Storage })
		if ours.Published || at < 0 {
			continue
		}
		a, b, ok := largestCommon(ours.Points, curves[at].Points)
		if !ok {
			continue
		}
		text := fmt.Sprintf("At %s `%s` does %s times the throughput of one; the published `%s` does %s times", words.Count(a.Instances, noun),
			ours.Variant, words.Figures(a.Throughput), curves[at].Variant, words.Figures(b.Throughput))
		if a.Response > 0 && b.Response > 0 {
			text += fmt.Sprintf(", with %s and %s times the response time", words.Figures(a.Response), words.Figures(b.Response))
		}
		texts = append(texts, text+".")
	}
	return texts
}

// largestCommon finds the largest count above one that both measured.
func largestCommon(a, b []RelativePoint) (x, y RelativePoint, ok bool) {
	for _, p := range a {
		at := slices.IndexFunc(b, func(q RelativePoint) bool { return q.Instances == p.Instances })
		if at >= 0 && p.Instances > 1 {
			x, y, ok = p, b[at], true
		}
	}
	return x, y, ok
}
