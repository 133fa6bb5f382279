package result

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"plimsoll/internal/host/mounts"
)

// driversDir holds what drivers record until their trial's records are merged.
const driversDir = ".drivers"

// DriverRecords takes the records of one driver as they come.
type DriverRecords struct {
	file *os.File
	out  *bufio.Writer
}

// Records begins to take the records of a driver. They are merged by Merge
// in the order in which their drivers were begun.
func (t *TrialWriter) Records(driver string) (*DriverRecords, error) {
	if driver == "" || strings.ContainsAny(driver, "/\x00") || strings.HasPrefix(driver, ".") {
		return nil, fmt.Errorf("keep records: %q is not the name of a driver", driver)
	}
	dir := filepath.Join(t.dir, driversDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("keep records: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, driver+".jsonl"), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644) // whatever the umask, nobody else writes what is measured
	if err != nil {
		return nil, fmt.Errorf("keep records: %w", err)
	}
	t.drivers = append(t.drivers, f.Name())
	return &DriverRecords{file: f, out: bufio.NewWriterSize(f, 64<<10)}, nil
}

// Add takes one record, as JSON.
func (r *DriverRecords) Add(line []byte) error {
	_, err := r.out.Write(line)
	return r.named(errors.Join(err, r.out.WriteByte('\n')))
}

// Close flushes the remaining records.
func (r *DriverRecords) Close() error {
	return r.named(errors.Join(r.out.Flush(), r.file.Close()))
}

func (r *DriverRecords) named(err error) error {
	if err != nil {
		return fmt.Errorf("keep records: %w", mounts.NameFull(err, r.file.Name()))
	}
	return nil
}
