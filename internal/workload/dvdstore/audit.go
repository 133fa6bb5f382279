package dvdstore

import (
	"context"
	"fmt"

	"plimsoll/internal/workload"
)

// Audit compares the database with the acknowledgements.
func (Workload) Audit(ctx context.Context, t workload.Target, p workload.Parameters, seed uint64,
	acks func(yield func(workload.Ack) bool) error) (workload.AuditResult, error) {
	return workload.AuditResult{}, fmt.Errorf("audit %s: not possible yet", t.Engine)
}
