package sides

import (
	"slices"

	"plimsoll/internal/analysis/trial"
)

// LostRung is a rung at which every trial of one side failed, and trials of the other
// passed.
type LostRung struct {
	Variant   string `json:"variant,omitempty"` // empty where each side has one
	Instances int    `json:"instances"`         // the rung
	// B reports that it is B whose trials failed.
	B      bool `json:"b"`
	Failed int  `json:"failed"` // trials of the side that lost the rung
	// Passed and Of are the trials of the other side: those that passed, of all.
	Passed int `json:"passed"`
	Of     int `json:"of"`
}

// LostRungs lists the rungs that one side lost. A published result does not say why a rung
// has no figure.
func LostRungs(variants []Variant) []LostRung {
	out := []LostRung{}
	for _, v := range variants {
		if trial.Published(v.A[0]) || trial.Published(v.B[0]) {
			continue
		}
		a, b := trial.ByRung(v.A), trial.ByRung(v.B)
		for _, x := range a {
			i := slices.IndexFunc(b, func(g trial.Group) bool { return g.Instances == x.Instances })
			if i < 0 {
				continue
			}
			y := b[i]
			switch {
			case len(y.Passed) == 0 && len(x.Passed) > 0:
				out = append(out, LostRung{v.Name, x.Instances, true, len(y.Failed), len(x.Passed), len(x.Passed) + len(x.Failed)})
			case len(x.Passed) == 0 && len(y.Passed) > 0:
				out = append(out, LostRung{v.Name, x.Instances, false, len(x.Failed), len(y.Passed), len(y.Passed) + len(y.Failed)})
			}
		}
	}
	return out
}
