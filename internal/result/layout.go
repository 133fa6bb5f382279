package result

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"plimsoll/internal/host/untrusted"
)

// Names of the files of a run directory, and of a trial's directory below
// trials/.
const (
	StudyFile     = "study.yaml"
	PlanFile      = "plan.json"
	MachineFile   = "machine.json"
	JournalFile   = "journal.jsonl"
	ReportFile    = "report.html"
	TrialsDir     = "trials"
	TrialFile     = "trial.json"
	RecordsFile   = "operations.jsonl"
	TelemetryFile = "telemetry.parquet"
	AuditFile     = "audit.json"
	LogsDir       = "logs"
	EvidenceDir   = "evidence" // of audits that failed; for its owner alone
)

// TrialDir is the directory of a trial in a run directory.
func TrialDir(run, id string) string {
	return filepath.Join(run, TrialsDir, filepath.FromSlash(id))
}

// EvidenceDirs lists the evidence that the trials of a run directory keep.
func EvidenceDirs(run string) []string {
	return below(run, TrialsDir, "*", "*", "*", EvidenceDir)
}

// RemoveEvidence removes a directory that EvidenceDirs listed. It follows no link below
// the run directory: what lies elsewhere is not the run's.
func RemoveEvidence(run, found string) error {
	dir, err := os.OpenRoot(run)
	if err != nil {
		return err
	}
	defer dir.Close()
	name, err := filepath.Rel(run, found)
	if err != nil {
		return err
	}
	parent, err := withoutLinks(dir, filepath.Dir(name))
	if err != nil {
		return err
	}
	defer parent.Close()
	return parent.RemoveAll(filepath.Base(name))
}

// withoutLinks opens a directory below another, none on the way to which is a link.
func withoutLinks(dir *os.Root, name string) (*os.Root, error) {
	at, err := dir.OpenRoot(".")
	for part := range strings.SplitSeq(filepath.ToSlash(name), "/") {
		if err != nil {
			return nil, err
		}
		info, statErr := at.Lstat(part)
		if statErr == nil && !info.IsDir() {
			statErr = fmt.Errorf("%s is not a directory", part)
		}
		if statErr != nil {
			return nil, errors.Join(statErr, at.Close())
		}
		next, openErr := at.OpenRoot(part)
		if openErr == nil {
			if opened, err := next.Stat("."); err != nil || !os.SameFile(info, opened) {
				openErr = errors.Join(fmt.Errorf("%s was replaced in the meantime", part), err, next.Close())
			}
		}
		_ = at.Close() // it was only read
		at, err = next, openErr
	}
	return at, err
}

// below lists what lies in a directory under a pattern. The directory's own name is
// none.
func below(dir string, pattern ...string) []string {
	found, _ := fs.Glob(untrusted.Tree(dir), path.Join(pattern...)) // the patterns are sound
	for i, name := range found {
		found[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return found
}

// safeID reports whether an identifier stays below trials/ when it is used
// as a path: three plain elements.
func safeID(id string) bool {
	parts := strings.Split(id, "/")
	if len(parts) != 3 {
		return false
	}
	for _, p := range parts {
		if p == "" || p == "." || p == ".." || strings.ContainsAny(p, "\\\x00") {
			return false
		}
	}
	return true
}
