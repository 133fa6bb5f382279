package say

import (
	"plimsoll/internal/analysis/model"
)

// OtherWork says that a variant's fraction of its baseline compares different sizes or counts.
//
// Needs: A baseline of other sizes or counts.
func OtherWork(v *model.Variant) string {
	return F("`%s` as a fraction of “%s” compares different work: %s", v.Name, v.Best.Baseline.Variant, v.Best.Baseline.Remark)
}
