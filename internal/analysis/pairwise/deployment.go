package pairwise

import (
	"slices"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/study"
)

// Deployment holds a variant against the one that differs from it in being bare alone.
type Deployment struct {
	Contrast
	Bare, Variant *model.Variant
}

// Deployments are those with a rung in common with their bare one. They share one level of
// confidence.
func Deployments(a *model.Analysis) (all []Deployment) {
	for i := range a.Variants {
		v := &a.Variants[i]
		if bare := bareOf(a, v); bare != nil {
			if c := ContrastOf(a, bare, v); len(c.Rungs) > 0 {
				all = append(all, Deployment{c, bare, v})
			}
		}
	}
	for i := range all {
		all[i].Family = len(all)
	}
	return all
}

// bareOf is the variant that differs from another only in being bare; nil if there is none.
func bareOf(a *model.Analysis, v *model.Variant) *model.Variant {
	level, varied := v.Factors[setup.DeploymentPath]
	if !varied || level == string(study.Bare) {
		return nil
	}
	at := slices.IndexFunc(a.Variants, func(other model.Variant) bool {
		return other.Factors[setup.DeploymentPath] == string(study.Bare) && restOfFactors(&other, setup.DeploymentPath) == restOfFactors(v, setup.DeploymentPath)
	})
	if at < 0 {
		return nil
	}
	return &a.Variants[at]
}
