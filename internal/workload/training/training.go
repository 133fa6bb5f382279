// Package training is how accelerators that train a model read their data: each user is an
// emulated accelerator, for which readers load batches of samples ahead, and which computes
// for a fixed time on each. The computing is a wait; what is measured is for how much of the
// time it had data to compute on. Every byte that is read is verified.
package training

import (
	"context"
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/endpoint"
	"plimsoll/internal/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// Name is the workload's key in studies.
const Name = "training"

// Workload implements workload.Workload. In memory, readers make and verify samples and
// accelerators take them without computing.
type Workload struct{ fileio.Memory }

var (
	_ workload.Workload = Workload{}
	_ workload.Threaded = Workload{}
)

// Name gives the registry key.
func (Workload) Name() string { return Name }

// Defaults gives fresh parameters: samples as those of 3D U-Net, past the page cache.
func (Workload) Defaults() workload.Parameters { return defaults() }

// Numbers of operations.
const (
	opBatch   = iota // waiting for a batch, and computing on it
	opWait           // for a batch
	opCompute        // on a batch
	opRead           // of a sample, by a reader
)

// Describe says what is counted.
func (Workload) Describe(p workload.Parameters) describe.Profile {
	profile := describe.Profile{
		Workload: Name, User: "accelerator", OnVolume: true, Answered: true,
		Unit:        describe.Unit{Name: "batch", Plural: "batches", Throughput: "MB/s", Seconds: 1, Bytes: true},
		Operations:  []string{"batch", "wait", "compute", "read"},
		Correctness: "every byte of a sample is verified when it is read",
	}
	if own, err := workload.Own[*Parameters](Name, p); err == nil {
		profile.Direct = own.IO == direct
	}
	return profile
}

// Blocks implements workload.Blocker.
func (Workload) Blocks(workload.Parameters) bool { return true }

// Threads implements workload.Threaded.
func (Workload) Threads(p workload.Parameters) int {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return 1
	}
	return own.figures().readers
}

// Roles are a volume without a server.
func (Workload) Roles(workload.Parameters) []workload.Role { return fileio.Roles() }

// Dataset describes the samples. Nothing writes to them after Prepare, so that copies will do.
func (Workload) Dataset(p workload.Parameters, kinds workload.Kinds, seed uint64) workload.Dataset {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil || kinds[fileio.VolumeRole] != endpoint.Directory {
		return workload.Dataset{}
	}
	return workload.Loaded(fileio.VolumeRole, own.shape(), workload.Contents{
		Key:   fmt.Sprintf("%s-1 %s %x", Name, own.shape(), seed),
		Space: workload.Space{Bytes: int64(own.Samples) * own.data().mean, Files: own.data().files()},
	})
}

// shape is what a volume's samples must have in common with those that readers look for.
func (p *Parameters) shape() string {
	d := p.data()
	return fmt.Sprintf("%d samples of %s ± %s, %d to a file, in blocks of %s", d.samples, unit.Bytes(d.mean), unit.Bytes(d.deviation), d.perFile, p.BlockSize)
}

// owner is for whom a volume is prepared: any instance, since samples are copied.
func (p *Parameters) owner() fileio.Owner { return fileio.Owner{Workload: Name, Shape: p.shape()} }

// Open starts one accelerator.
func (Workload) Open(_ context.Context, t workload.Target, p workload.Parameters, user int, _ uint64) (workload.Session, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return nil, err
	}
	return openAccelerator(t, own, user)
}
