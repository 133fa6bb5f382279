package say

import (
	"plimsoll/internal/analysis/model"
)

// SetRemark writes which sizes or counts a variant and its baseline differ in.
func SetRemark(f *model.Fraction) {
	var all []string
	for _, d := range f.Differs {
		all = append(all, F("%s %s here and %s there", d.Name, d.Here, d.There))
	}
	f.Remark = Join(all)
}

// OtherWork says that a variant's fraction of its baseline compares different sizes or counts.
//
// Needs: A baseline of other sizes or counts.
func OtherWork(v *model.Variant) string {
	return F("`%s` as a fraction of “%s” compares different work: %s", v.Name, v.Best.Baseline.Variant, v.Best.Baseline.Remark)
}
