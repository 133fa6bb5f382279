package load

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"plimsoll/internal/workload"
)

// Main is the driver process: it reads the job (see ReadJob), runs the job and ends
// early and in order on SIGTERM and SIGINT.
func Main(ctx context.Context, jobPath string, reg workload.Registry) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	job, err := ReadJob(jobPath)
	if err != nil {
		return err
	}
	w, err := reg.Get(job.Workload)
	if err != nil {
		return err
	}
	tune()
	out, err := openRecords(job.Records)
	if err != nil {
		return err
	}
	return errors.Join(Run(ctx, job, w, out), out.Close())
}

// openRecords opens the stream of records: "-" is standard output.
func openRecords(path string) (*os.File, error) {
	if path == "-" {
		return os.Stdout, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("write the driver's records: %w", err)
	}
	return f, nil
}
