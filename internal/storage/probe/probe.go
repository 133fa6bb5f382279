// Package probe finds out about the storage behind a mounted path, in under a minute:
// whether a flush can be durable, its latency alone and under load, and the effects of
// caches. It takes a path and returns findings in words, each with a grade. The findings
// are a pure function of the measurements.
package probe

import (
	"context"
	"time"
)

// Options limit a probe.
type Options struct {
	// Duration is about how long the measurements take together; 0 is 40 s.
	Duration time.Duration
	// Size bounds the test file in bytes; 0 is chosen from memory and free
	// space.
	Size int64
	// Seed makes the access pattern repeatable; 0 is 1.
	Seed uint64
	// Protected is the user's statement that the write cache survives a power cut (a RAID
	// controller with a battery), so that fast flushes are genuine.
	Protected bool
}

// Report is the result of a probe.
type Report struct {
	Path         string        `json:"path"`
	Devices      []Device      `json:"devices"`
	FileSystem   string        `json:"file_system"`
	MountPoint   string        `json:"mount_point"`
	MountOptions []string      `json:"mount_options"`
	Capacity     int64         `json:"capacity"` // bytes
	Free         int64         `json:"free"`
	Memory       int64         `json:"memory"`    // of the machine
	FileSize     int64         `json:"file_size"` // of the test file
	Direct       bool          `json:"direct"`    // the page cache was by-passed
	Grade        string        `json:"grade"`     // the worst of the findings that count, A to F
	Findings     []Finding     `json:"findings"`
	Measures     []Measure     `json:"measures"`
	Took         time.Duration `json:"took"`
}

// Device is a block device below the path as the kernel describes it.
type Device struct {
	Name       string `json:"name"`
	Rotates    bool   `json:"rotates"`
	WriteCache string `json:"write_cache"` // "write back" or "write through"
	Scheduler  string `json:"scheduler"`
	Model      string `json:"model,omitempty"`
}

// Finding is one conclusion with the numbers behind it.
type Finding struct {
	Key   string `json:"key"`
	Grade string `json:"grade"` // A to F; empty for information only
	// Title is the conclusion in one sentence; Text has the reason and the advice.
	Title string `json:"title"`
	Text  string `json:"text"`
	// Counts reports whether the finding bears on the grade of the report.
	Counts bool `json:"counts"`
	// Values are in seconds, bytes, or per second, as their names say.
	Values map[string]float64 `json:"values,omitempty"`
}

// Measure is one pattern of access that was tried.
type Measure struct {
	Name       string  `json:"name"`
	Text       string  `json:"text"`
	BlockSize  int64   `json:"block_size"`
	Depth      int     `json:"depth"` // requests at once
	Operations int64   `json:"operations"`
	Seconds    float64 `json:"seconds"`
	PerSecond  float64 `json:"per_second"`
	Rate       float64 `json:"bytes_per_second"`
	// Mean, percentiles and maximum of the latency, in seconds.
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
	// Engine is the kernel's interface that was used, and Threads how many generators. CPU
	// is their use, in cores, and MachineBusy the share of all processors that was busy
	// with whatever.
	Engine      string  `json:"engine"`
	Threads     int     `json:"threads"`
	CPU         float64 `json:"cpu"`
	MachineBusy float64 `json:"machine_busy"`
}

// Probe tests the storage behind a directory. It writes files there and removes them, also
// when ctx ends. It calls progress, which may be nil, with the current step and the share
// of the time that has passed.
func Probe(ctx context.Context, path string, o Options, progress func(step string, share float64)) (Report, error) {
	began := time.Now()
	p, err := prepare(path, o, progress)
	if err != nil {
		return Report{}, err
	}
	defer p.cleanUp()
	if err := p.measure(ctx); err != nil {
		return Report{}, err
	}
	r := p.report()
	r.Findings = judge(p.facts)
	r.Grade = worst(r.Findings)
	r.Took = time.Since(began)
	return r, nil
}

// worst is the worst grade that counts.
func worst(findings []Finding) string {
	grade := ""
	for _, f := range findings {
		if f.Counts {
			grade = max(grade, f.Grade)
		}
	}
	return grade
}
