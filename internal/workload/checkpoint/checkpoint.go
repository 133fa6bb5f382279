// Package checkpoint saves and restores the state of training jobs, as training of large
// models does: each user is a job of several ranks. In a round every rank writes its shard
// and flushes it to the medium; after the last one, a mark declares the checkpoint
// complete. Then every rank reads the shard of another. A round takes as long as its
// slowest rank. Acknowledged checkpoints must be intact afterwards.
//
// Sizes and ranks are taken from the published rules of MLPerf Storage v2.0 (Submission
// Guidelines, table 2). The results are not MLPerf results.
package checkpoint

import (
	"context"
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// Name is the workload's key in studies.
const Name = "checkpoint"

// Workload implements workload.Workload.
type Workload struct{}

var _ workload.Workload = Workload{}

// Capabilities implements workload.Workload.
func (w Workload) Capabilities() workload.Capabilities {
	return workload.Capabilities{Audit: w.Audit, Blocked: w.blocked}
}

// Name returns the registry key.
func (Workload) Name() string { return Name }

// Defaults returns fresh parameters: ten rounds of the smallest published model.
func (Workload) Defaults() workload.Parameters { return defaults() }

// The operations, in the order of their numbers. A round is the unit of work.
const (
	opRound   = "round"
	opSave    = "checkpoint" // until it is acknowledged
	opRestore = "restore"    // until the last rank has its shard
	opWrite   = "write"      // of a shard by its rank
	opFlush   = "flush"      // of a shard that is written
	opRead    = "read"       // of a shard by another rank
	opRemove  = "remove"     // of a checkpoint that is not kept
)

// operations lists them all.
func operations() []string {
	return []string{opRound, opSave, opRestore, opWrite, opFlush, opRead, opRemove}
}

// Describe counts rounds, and the bytes of both their halves.
func (Workload) Describe(p workload.Parameters) describe.Profile {
	profile := describe.Profile{
		Workload: Name, User: "job", OnVolume: true, Busy: true, Operations: operations(),
		Unit: describe.Unit{Name: opRound, Plural: "rounds", Throughput: "GB/s", Seconds: 1, Bytes: true, Each: 1e9},
	}
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return profile
	}
	profile.Fixed = own.Rounds > 0
	profile.Direct = own.IO == direct
	profile.Saves = &describe.Saves{
		Save: opSave, Restore: opRestore, Interval: own.Interval.D().Seconds(), Failures: own.FailureEvery.D().Seconds(),
	}
	return profile
}

// blocked is a thread for each rank.
func (Workload) blocked(p workload.Parameters) int {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return 0
	}
	return own.ranks()
}

// Roles are a volume without a server.
func (Workload) Roles(workload.Parameters) []workload.Role { return fileio.Roles() }

// Dataset describes each job's first checkpoint and the space of all that it keeps. It has
// no key, so every instance's volume is prepared in place: a copy would carry the stamps of
// another volume.
func (Workload) Dataset(p workload.Parameters, kinds workload.Kinds, _ uint64) workload.Dataset {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil || kinds[fileio.VolumeRole] != endpoint.Directory {
		return workload.Dataset{}
	}
	return workload.Loaded(fileio.VolumeRole, own.describe(), workload.Contents{Space: workload.Space{
		UserBytes: own.space(), UserFiles: int64(own.Keep+1) * int64(own.ranks()+1),
	}})
}

// describe says what a checkpoint is, and that it is scaled where it is.
func (p *Parameters) describe() string {
	text := fmt.Sprintf("a checkpoint of %s in %d shards for each job, as of a model of %s parameters", unit.Bytes(p.whole()), p.ranks(), p.published().parameters)
	if p.Size == 0 {
		return text
	}
	return fmt.Sprintf("%s, scaled to %.2g %% of its %s", text, 100*float64(p.Size)/float64(p.published().size), p.published().size)
}

// owner is for whom a volume is prepared.
func (p *Parameters) owner(instance int) fileio.Owner {
	return fileio.Owner{Workload: Name, Instance: instance, Shape: fmt.Sprintf("%d shards of %s, written %s at once", p.ranks(), unit.Bytes(p.shard()), p.WriteSize)}
}

// Open starts one job.
func (Workload) Open(_ context.Context, t workload.Target, p workload.Parameters, user int, seed uint64) (workload.Session, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return nil, err
	}
	return openJob(t, own, user, seed)
}
