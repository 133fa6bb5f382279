package result

import (
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
)

// seriesFile is telemetry.parquet while it is written. Its zero value has no series yet, and
// becomes no file.
type seriesFile struct {
	file     *unfinishedFile // nil before the first series and after the end
	sum      hash.Hash32
	out      *seriesWriter
	checksum string // at the end; empty where there is no file
}

// add writes series, the first ones into a new file below dir.
func (f *seriesFile) add(dir string, some []Series) error {
	if len(some) == 0 {
		return nil
	}
	if f.file == nil {
		file, err := beginFile(filepath.Join(dir, TelemetryFile))
		if err != nil {
			return err
		}
		f.file, f.sum = &file, crc32.New(castagnoli)
		f.out = newSeriesWriter(io.MultiWriter(file, f.sum))
	}
	return naming(f.file.path, f.out.write(some))
}

// end makes it the trial's; without series there is none.
func (f *seriesFile) end() error {
	if f.file == nil {
		return nil
	}
	file := *f.file
	f.file = nil
	if err := file.end(f.out.close()); err != nil {
		return err
	}
	f.checksum = fmt.Sprintf("%08x", f.sum.Sum32())
	return nil
}

// abandon removes what has not come to its end.
func (f *seriesFile) abandon() error {
	if f.file == nil {
		return nil
	}
	defer func() { f.file = nil }()
	return errors.Join(f.file.Close(), os.Remove(f.file.Name()))
}
