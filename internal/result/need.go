package result

import (
	"io/fs"
	"path"
)

// What reading and analysing a run takes, as measured by bench/scale; bytes of memory.
const (
	perTrial     = 10 << 10 // what stays of one until the end, and what the analysis says of it
	perJSONByte  = 6        // per byte read at once: text, values, garbage
	perTelemetry = 20       // of a byte of telemetry, which is compressed
	atOnce       = 2        // rungs that are read at once
)

// mostWhole is up to how many bytes of trial.json OpenLean keeps of all trials as they are, which
// saves reading them twice.
const mostWhole = 32 << 20

// Need is about how many bytes of memory an analysis of a run takes that OpenLean reads, by
// the sizes of its files.
func Need(run fs.FS) int64 {
	trials, _ := fs.Glob(run, path.Join(TrialsDir, "*", "*", "*", TrialFile)) // the pattern is sound
	rungs := map[string]int64{}
	var largest, telemetry, all int64
	for _, name := range trials {
		trial := path.Dir(name)
		rung := path.Dir(trial)
		rungs[rung] += sizeOf(run, name)
		largest, all = max(largest, rungs[rung]), all+sizeOf(run, name)
		telemetry = max(telemetry, sizeOf(run, path.Join(trial, TelemetryFile)))
	}
	return int64(len(trials))*perTrial + perJSONByte*(sizeOf(run, PlanFile)+max(atOnce*largest, min(all, mostWhole))) + perTelemetry*atOnce*telemetry
}

func sizeOf(run fs.FS, name string) int64 {
	info, err := fs.Stat(run, name)
	if err != nil {
		return 0
	}
	return info.Size()
}
