package result

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
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

// below lists what lies in a directory under a pattern. The directory's own name is
// none.
func below(dir string, pattern ...string) []string {
	found, _ := fs.Glob(os.DirFS(dir), path.Join(pattern...)) // the patterns are sound
	for i, name := range found {
		found[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return found
}

// safeID says whether an identifier stays below trials/ when it is used as a
// path: three plain elements.
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
