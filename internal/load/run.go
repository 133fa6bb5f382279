package load

import (
	"context"
	"fmt"
	"io"

	"plimsoll/internal/workload"
)

// Run plays the job's users until the measured phase is over, writing one
// result.Record a line to out. It returns when everything is flushed.
func Run(ctx context.Context, job Job, w workload.Workload, out io.Writer) error {
	return fmt.Errorf("drive %s: not possible yet", w.Name())
}

// Main is the driver process: it reads the job file, runs the job and ends
// early and in order on SIGTERM and SIGINT.
func Main(ctx context.Context, jobPath string, reg workload.Registry) error {
	return fmt.Errorf("drive %s: not possible yet", jobPath)
}
