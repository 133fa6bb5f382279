// Package probe asks a mounted path what its storage really does, in under a
// minute: whether a flush is durable, how it answers alone and under load,
// what caches flatter. It takes a path and gives findings in words, each with
// a grade.
package probe

import (
	"context"
	"errors"
	"time"
)

// Options limit a probe.
type Options struct {
	// Duration is about how long the whole probe may take; 0 is 45 s.
	Duration time.Duration
	// Size is the size of the test file in bytes; 0 is chosen from memory and
	// free space.
	Size int64
	// Seed makes the access pattern repeatable; 0 is 1.
	Seed uint64
}

// Report is what a probe found.
type Report struct {
	Path       string        `json:"path"`
	Device     []string      `json:"devices"`
	FileSystem string        `json:"file_system"`
	Options    []string      `json:"mount_options"`
	Grade      string        `json:"grade"` // A to F, the worst of the findings that count
	Findings   []Finding     `json:"findings"`
	Measures   []Measure     `json:"measures"`
	Took       time.Duration `json:"took"`
}

// Finding is one conclusion with the numbers behind it.
type Finding struct {
	Key   string `json:"key"` // flush, file-system, cache, allocation, cliff, ...
	Grade string `json:"grade"`
	// Title is the conclusion in one sentence; Text says why, and what to do.
	Title  string             `json:"title"`
	Text   string             `json:"text"`
	Values map[string]float64 `json:"values,omitempty"` // in seconds, bytes, or per second
}

// Measure is one pattern of access that was tried.
type Measure struct {
	Name       string  `json:"name"`
	BlockSize  int64   `json:"block_size"`
	Depth      int     `json:"depth"`
	Operations int64   `json:"operations"`
	Seconds    float64 `json:"seconds"`
	PerSecond  float64 `json:"per_second"`
	BytesRate  float64 `json:"bytes_per_second"`
	// Mean and percentiles of the latency, in seconds.
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

// Probe tries the storage behind a directory. It writes one file there and
// removes it. Progress, which may be nil, hears what is being done and the
// share of the time that has passed.
func Probe(ctx context.Context, path string, o Options, progress func(step string, share float64)) (Report, error) {
	return Report{}, errors.New("the probe is being built")
}
