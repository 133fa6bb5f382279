package result

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path"

	"plimsoll/internal/host/untrusted"
)

// castagnoli is the polynomial of all checksums of a run.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksumOf reads a file to its end.
func checksumOf(r io.Reader) (checksum string, size int64, err error) {
	sum := crc32.New(castagnoli)
	size, err = io.Copy(sum, r)
	return fmt.Sprintf("%08x", sum.Sum32()), size, err
}

// checked reads a file and holds it against its checksum, where there is one.
func checked(r io.Reader, checksum string) (size int64, err error) {
	found, size, err := checksumOf(r)
	if err == nil && checksum != "" && found != checksum {
		err = fmt.Errorf("is damaged: its checksum is %s, not %s", found, checksum)
	}
	return size, err
}

// checksums returns the checksums of the files in a trial's directory that trial.json
// summarises.
func checksums(dir string) (map[string]string, error) {
	all := map[string]string{}
	for _, name := range []string{RecordsFile, AuditFile} {
		f, err := untrusted.Open(dir, name, untrusted.MostRecords)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all[name], _, err = checksumOf(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
	}
	return all, nil
}

// Lost says which files of a trial, whose checksums it has, are not as they were written, and
// why. telemetry is what Telemetry answered: it needs no checksum to find that it cannot be read.
func (r *Run) Lost(t *Trial, telemetry error) (problems []Problem) {
	if r.Dir == "" {
		return nil
	}
	dir := t.place()
	for _, name := range []string{RecordsFile, AuditFile} {
		if err := r.holds(path.Join(dir, name), t.Checksums[name]); err != nil {
			problems = append(problems, Problem{File: name, Reason: reason(err)})
		}
	}
	if t.Checksums[RecordsFile] == "" && t.Status == Passed && len(t.Damage) == 0 {
		if err := r.recordsEnd(path.Join(dir, RecordsFile)); err != nil {
			problems = append(problems, Problem{File: RecordsFile, Reason: reason(err)})
		}
	}
	if none := errors.Is(telemetry, fs.ErrNotExist) && t.TelemetryChecksum == ""; telemetry != nil && !none {
		problems = append(problems, Problem{File: TelemetryFile, Reason: reason(telemetry)})
	}
	return problems
}

// recordsEnd says why records without a checksum are not whole; nil where there are none, which a
// trial of other origin need not have. The last record of a trial that passed is the end of a
// driver. What was cut out before it is not seen.
func (r *Run) recordsEnd(name string) error {
	f, err := untrusted.Open(r.Dir, name, untrusted.MostRecords)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	text := make([]byte, min(info.Size(), mostEnd))
	if _, err := f.ReadAt(text, info.Size()-int64(len(text))); err != nil && err != io.EOF {
		return err
	}
	last := text[bytes.LastIndexByte(bytes.TrimSuffix(text, []byte("\n")), '\n')+1:]
	if record, err := parseRecord(last); err != nil || record.Kind != KindEnd {
		return errors.New("is cut: its last record is not the end of a driver")
	}
	return nil
}

// mostEnd bounds the record of a driver's end, in bytes.
const mostEnd = 64 << 10

// holds says why a file is not the one that had the checksum; nil where it has none.
func (r *Run) holds(name, checksum string) error {
	if checksum == "" {
		return nil
	}
	f, err := untrusted.Open(r.Dir, name, untrusted.MostRecords)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = checked(f, checksum)
	return err
}
