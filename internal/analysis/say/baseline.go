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
