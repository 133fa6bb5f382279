package limit

import (
	"testing"

	"plimsoll/internal/analysis/experiment"
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/result"
)

// Servers without state can become more of them.
func TestAQuotaIsRaisedOrShared(t *testing.T) {
	e := experiment.Experiment{Kind: experiment.RaiseQuota, Top: resource.Resource{Name: "CPU limit of a db server", Kind: resource.Quota, Role: "db"}, From: "0.5", To: "1"}
	v := &model.Variant{}
	if got := nextText(e, v); got != "Raise the CPU limit of a db server from 0.5 to 1 cores." {
		t.Error(got)
	}
	e.Server = result.Server{Count: 2, Stateless: true}
	if got := nextText(e, v); got != "Raise the CPU limit of a db server from 0.5 to 1 cores, or run 4 of them in each instance (stack.db.count)." {
		t.Error(got)
	}
}
