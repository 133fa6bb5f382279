// Package weights is how pods that serve a model start: each user is a pod, which reads the whole
// model from a volume, several threads at once, before it is ready. Many that start at once are a
// cold start storm; what counts is when the last of them is ready. Every byte is verified.
package weights

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/parallelio"
)

// Name is the workload's key in studies.
const Name = "weights"

// Workload implements workload.Workload. In memory, pods load parts of a model without end.
type Workload struct{}

var _ workload.Workload = Workload{}

// Capabilities implements workload.Workload.
func (w Workload) Capabilities() workload.Capabilities {
	return workload.Capabilities{Answerer: fileio.Memory{}, Blocked: w.blocked}
}

// Name returns the registry key.
func (Workload) Name() string { return Name }

// Defaults returns fresh parameters: the smallest published model, once, past the page cache.
func (Workload) Defaults() workload.Parameters { return defaults() }

// Numbers of operations.
const (
	opLoad  = iota // of the model
	opShard        // from its first read to its last
)

// Describe counts loads, and their bytes.
func (Workload) Describe(p workload.Parameters) describe.Profile {
	profile := describe.Profile{
		Workload: Name, User: "pod", OnVolume: true, Busy: true, Answered: true,
		Unit:        describe.Unit{Name: "load", Plural: "loads", Throughput: "GB/s", Seconds: 1, Bytes: true, Each: 1e9},
		Operations:  []string{"load", "shard"},
		Correctness: "every byte of a shard is verified when it is read",
	}
	if own, err := workload.Own[*Parameters](Name, p); err == nil {
		profile.Direct, profile.Fixed = own.IO == direct, own.Loads > 0
	}
	return profile
}

// blocked is a thread for each reader.
func (Workload) blocked(p workload.Parameters) int {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return 0
	}
	return own.Readers
}

// Roles are a volume without a server.
func (Workload) Roles(workload.Parameters) []workload.Role { return fileio.Roles() }

// Dataset describes the model. Nothing writes to it after Prepare, so that copies will do.
func (Workload) Dataset(p workload.Parameters, kinds workload.Kinds, seed uint64) workload.Dataset {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil || kinds[fileio.VolumeRole] != endpoint.Directory {
		return workload.Dataset{}
	}
	return workload.Loaded(fileio.VolumeRole, own.describe(), workload.Contents{
		Key:   fmt.Sprintf("%s-1 %s %x", Name, own.owner().Shape, seed),
		Space: workload.Space{Bytes: own.whole(), Files: int64(own.shards())},
	})
}

// top is the directory of the shards.
const top = "model"

// Prepare writes the model, which is on the medium when it ends.
func (Workload) Prepare(ctx context.Context, t workload.Target, p workload.Parameters, seed uint64, progress func(float64)) error {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return err
	}
	return fileio.Prepare(t, own.owner(), top, own.whole(), func(root *fileio.Root, volume uint64) error {
		return parallelio.WithTeam(own.Readers, int(own.BlockSize), seed, func(team *parallelio.Team) error {
			if err := root.Make(top); err != nil {
				return err
			}
			return errors.Join(own.write(ctx, root, team, volume, progress), root.Sync())
		})
	})
}

// write writes as many shards at once as there are readers.
func (p *Parameters) write(ctx context.Context, root *fileio.Root, team *parallelio.Team, volume uint64, progress func(float64)) (err error) {
	dir, err := root.Dir(top)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	written := 0
	for some := range slices.Chunk(p.files(volume), p.Readers) {
		if _, err := team.Write(ctx, dir, some, p.how()); err != nil {
			return err
		}
		written += len(some)
		progress(float64(written) / float64(p.shards()))
	}
	return nil
}

// Open starts one pod.
func (Workload) Open(_ context.Context, t workload.Target, p workload.Parameters, _ int, seed uint64) (workload.Session, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return nil, err
	}
	return openPod(t, own, seed)
}
