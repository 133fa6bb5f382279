// Package kvcache is the store behind servers of language models: what a model has computed of a
// conversation, its keys and values, is kept there in blocks while the user thinks, and read back
// when the conversation goes on. The first token of the answer waits for that. Users have several
// conversations; of each user so many are kept, and the one that was used least lately is evicted.
// Every byte that is read back is verified.
package kvcache

import (
	"context"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/parallelio"
)

// Name is the workload's key in studies.
const Name = "kvcache"

// Workload implements workload.Workload. In memory, users have the conversations that they begin
// with on a volume, and blocks are made and verified.
type Workload struct{}

var _ workload.Workload = Workload{}

// Capabilities implements workload.Workload.
func (w Workload) Capabilities() workload.Capabilities {
	return workload.Capabilities{Answerer: fileio.Memory{}, Blocked: w.blocked}
}

// Name returns the registry key.
func (Workload) Name() string { return Name }

// Defaults returns fresh parameters: blocks of the smallest published model, past the page cache.
func (Workload) Defaults() workload.Parameters { return defaults() }

// Numbers of operations.
const (
	opTurn    = iota // all of one
	opRestore        // reading back all blocks of its conversation
	opStore          // writing the new ones
	opEvict          // removing all blocks of a conversation
)

// Describe counts turns.
func (Workload) Describe(p workload.Parameters) describe.Profile {
	profile := describe.Profile{
		Workload: Name, OnVolume: true, Answered: true,
		Unit:        describe.Unit{Name: "turn", Plural: "turns", Throughput: "turns/s", Seconds: 1},
		Operations:  []string{"turn", "restore", "store", "evict"},
		Correctness: "every byte of a block is verified when it is restored",
	}
	if own, err := workload.Own[*Parameters](Name, p); err == nil {
		profile.Direct = own.IO == direct
		if own.BlockSize > 0 {
			profile.Unused = []string{"model", "tokens"}
		}
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

// Dataset describes the conversations that each user begins with. It has no key, so every
// instance's volume is prepared in place: a copy would carry the stamps of another volume.
func (Workload) Dataset(p workload.Parameters, kinds workload.Kinds, _ uint64) workload.Dataset {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil || kinds[fileio.VolumeRole] != endpoint.Directory {
		return workload.Dataset{}
	}
	return workload.Loaded(fileio.VolumeRole, own.describe(), workload.Contents{Space: workload.Space{
		UserBytes: int64(own.begun()) * own.block(), UserFiles: int64(own.begun()),
	}})
}

// Prepare stores the conversations that each user begins with: as many as are kept.
func (Workload) Prepare(ctx context.Context, t workload.Target, p workload.Parameters, seed uint64, progress func(float64)) error {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return err
	}
	return parallelio.WithTeam(own.Readers, int(own.IOSize), seed, func(team *parallelio.Team) error {
		return fileio.PrepareUsers(ctx, t, own.owner(t.Instance), top, own.space(), progress, func(at fileio.Home, user int, _ func(float64)) error {
			return (&store{Home: at, p: own, user: user, team: team}).first(ctx)
		})
	})
}

// Open starts one user.
func (Workload) Open(_ context.Context, t workload.Target, p workload.Parameters, user int, seed uint64) (workload.Session, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return nil, err
	}
	return openUser(t, own, user, seed)
}
