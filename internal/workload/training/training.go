// Package training reads data as accelerators that train a model do: each user is an
// emulated accelerator, for which readers load batches of samples ahead, from files or
// objects, and which computes for a fixed time on each batch. The computing is a wait; the
// measured figure is the share of the time in which the accelerator had data to compute on.
// Every byte that is read is verified.
package training

import (
	"context"
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/objectio"
)

// Name is the workload's key in studies.
const Name = "training"

// Workload implements workload.Workload.
type Workload struct{}

var _ workload.Workload = Workload{}

// Capabilities implements workload.Workload.
func (w Workload) Capabilities() workload.Capabilities {
	return workload.Capabilities{Answerer: w, Blocked: w.blocked}
}

// Name returns the registry key.
func (Workload) Name() string { return Name }

// Defaults returns fresh parameters: the samples of 3D U-Net, past the page cache.
func (Workload) Defaults() workload.Parameters { return defaults() }

// Numbers of operations.
const (
	opBatch   = iota // waiting for a batch, and computing on it
	opWait           // for a batch
	opCompute        // on a batch
	opRead           // of a sample, by a reader
	opSync           // waiting for the others, which compute; with a barrier
)

// Describe returns the unit of work and the operations.
func (Workload) Describe(p workload.Parameters) describe.Profile {
	profile := describe.Profile{
		Workload: Name, User: "accelerator", Answered: true,
		Unit:        describe.Unit{Name: "batch", Plural: "batches", Throughput: "MB/s", Seconds: 1, Bytes: true},
		Operations:  []string{"batch", "wait", "compute", "read"},
		Metrics:     []describe.Metric{{Name: "au", Operation: "compute", Text: "utilisation", Does: "computed", Rest: "time without computing"}},
		Correctness: "every byte of a sample is verified when it is read",
	}
	if own, err := workload.Own[*Parameters](Name, p); err == nil {
		profile.OnVolume, profile.Unused = own.Source == onVolume, own.unused()
		profile.Direct = profile.OnVolume && own.IO == direct
		if own.Barrier {
			profile.Operations = append(profile.Operations, "sync")
		}
	}
	return profile
}

// blocked is how many readers a user has: calls on files block, and connections do not.
func (Workload) blocked(p workload.Parameters) int {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil || own.Source != onVolume {
		return 0
	}
	return own.figures().readers
}

// Roles are a volume without a server, or a store, which keeps its data on a directory where
// servers of ours fill it.
func (Workload) Roles(p workload.Parameters) []workload.Role {
	if own, err := workload.Own[*Parameters](Name, p); err == nil && own.Source == inBucket {
		return []workload.Role{{Name: objectio.StoreRole, Kinds: []string{endpoint.Bucket}, Mounts: workload.Data(), Needed: workload.Always}}
	}
	return fileio.Roles()
}

// role returns the role that holds the samples, and its kind.
func (p *Parameters) role() (name, kind string) {
	if p.Source == inBucket {
		return objectio.StoreRole, endpoint.Bucket
	}
	return fileio.VolumeRole, endpoint.Directory
}

// Dataset describes the samples. Nothing writes to them after Prepare, so that copies will do.
func (Workload) Dataset(p workload.Parameters, kinds workload.Kinds, seed uint64) workload.Dataset {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return workload.Dataset{}
	}
	role, kind := own.role()
	if kinds[role] != kind {
		return workload.Dataset{}
	}
	return workload.Loaded(role, own.shape(), workload.Contents{
		Key:   fmt.Sprintf("%s-1 %s %x", Name, own.shape(), seed),
		Space: workload.Space{Bytes: int64(own.Samples) * own.data().mean, Files: own.data().files()},
	})
}

// shape is what a volume's samples must have in common with those that readers look for.
func (p *Parameters) shape() string {
	d := p.data()
	in := map[string]string{onVolume: "a file", inBucket: "an object"}[p.Source]
	if d.tar {
		in += " (tar)"
	}
	return fmt.Sprintf("%d samples of %s ± %s, %d to %s, in blocks of %s", d.samples, unit.Bytes(d.mean), unit.Bytes(d.deviation), d.perFile, in, p.BlockSize)
}

// owner is for whom a volume or bucket is prepared: any instance, since samples are copied.
func (p *Parameters) owner() fileio.Owner { return fileio.Owner{Workload: Name, Shape: p.shape()} }

// Open starts one accelerator.
func (Workload) Open(ctx context.Context, t workload.Target, p workload.Parameters, user int, _ uint64) (workload.Session, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return nil, err
	}
	return openAccelerator(ctx, t, own, user)
}
