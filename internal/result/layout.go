package result

import (
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
	found, _ := filepath.Glob(filepath.Join(escapeGlob(run), TrialsDir, "*", "*", "*", EvidenceDir)) // the pattern is sound
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
