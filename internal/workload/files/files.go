// Package files is sequential I/O on large files, as IOzone does it: each user is a worker
// with files of its own, which it writes or reads from beginning to end, block by block.
// Every written block identifies itself, and every block that is read is compared with the
// last write that was acknowledged there.
package files

import (
	"context"
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// Name is the workload's key in studies.
const Name = "files"

// Workload implements workload.Workload.
type Workload struct{}

var _ workload.Workload = Workload{}

// Capabilities implements workload.Workload.
func (w Workload) Capabilities() workload.Capabilities {
	return workload.Capabilities{Audit: w.Audit, Blocked: workload.OneBlocked}
}

// Name returns the registry key.
func (Workload) Name() string { return Name }

// Defaults returns fresh parameters: new files of 256 MiB through the page cache,
// flushed before they are closed.
func (Workload) Defaults() workload.Parameters { return defaults() }

// The names of operations. A block is the unit of work.
const (
	opBlock  = "block"
	opOpen   = "open"
	opFlush  = "flush"
	opClose  = "close"
	opFile   = "file"
	opRemove = "remove"
	opFirst  = "first-read"
)

// Describe returns the unit of work and the operations.
func (Workload) Describe(p workload.Parameters) describe.Profile {
	profile := describe.Profile{
		Workload: Name, User: "worker", OnVolume: true,
		Unit: describe.Unit{Name: opBlock, Plural: "blocks", Throughput: "MB/s", Seconds: 1, Bytes: true},
	}
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return profile
	}
	if !own.Verify {
		profile.Correctness = "files are there with their sizes; their content is not verified (verify: false)"
	}
	profile.Operations, profile.Unused = own.operations(), own.unused()
	profile.Optional, profile.Requests = own.optional(), own.requests()
	profile.Direct, profile.Fixed = own.IO == direct, own.Work == once
	profile.ReadsOnce = profile.Fixed && own.Operation != reread
	return profile
}

// requests are the requests of a block. Workers go through their files from beginning to end.
func (p *Parameters) requests() []describe.Request {
	if p.BlockSize <= 0 || p.FileSize <= 0 {
		return nil
	}
	reads := map[string]float64{read: 1, reread: 1, mixed: p.Read / 100}[p.Operation]
	sequential := 1.0
	return describe.Request{Bytes: float64(p.FileSize) / float64(p.blocks()), Sequential: &sequential}.Mix(reads)
}

// operations are those that occur with these parameters.
func (p *Parameters) operations() []string {
	all := []string{opBlock}
	if p.Operation == mixed {
		all = append(all, read, write)
	}
	all = append(all, opOpen)
	if p.flushes() {
		all = append(all, opFlush)
	}
	all = append(all, opClose, opFile)
	switch p.Operation {
	case write:
		all = append(all, opRemove)
	case reread:
		all = append(all, opFirst)
	}
	return all
}

// optional are the operations without which IOzone reports, too; by default it
// does. Timed work removes files only to make them again.
func (p *Parameters) optional() (some []string) {
	for _, name := range p.operations() {
		if name == opFlush || name == opClose || name == opRemove {
			some = append(some, name)
		}
	}
	return some
}

func (p *Parameters) flushes() bool { return p.Flush && p.writes() }

// Roles are a volume without a server.
func (Workload) Roles(workload.Parameters) []workload.Role {
	return fileio.Roles()
}

// Dataset describes the files of a worker. It has no key, so every instance's volume is
// prepared in place. A copy would carry the stamps of another volume, and share its blocks
// with other copies until they are overwritten.
func (Workload) Dataset(p workload.Parameters, kinds workload.Kinds, _ uint64) workload.Dataset {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil || kinds[fileio.VolumeRole] != endpoint.Directory {
		return workload.Dataset{}
	}
	return workload.Loaded(fileio.VolumeRole, own.shape()+" of each worker",
		workload.Contents{Space: workload.Space{UserBytes: own.userBytes(), UserFiles: int64(own.Files)}})
}

// userBytes is what the files of a worker take.
func (p *Parameters) userBytes() int64 { return int64(p.Files) * int64(p.FileSize) }

// shape is what a volume's files must have in common with those that workers
// look for.
func (p *Parameters) shape() string {
	s := "files"
	if p.Files == 1 {
		s = "file"
	}
	return fmt.Sprintf("%d %s of %s in blocks of %s", p.Files, s, p.FileSize, p.BlockSize)
}

// owner is for whom a volume is prepared.
func (p *Parameters) owner(instance int) fileio.Owner {
	return fileio.Owner{Workload: Name, Instance: instance, Shape: p.shape()}
}

// top is the directory of the files; below it each worker has one by its number,
// and in it files by theirs.
const top = "files"

// mostFiles is the bound of the parameter files.
const mostFiles = 100_000

// number returns the number of a file within the volume, from 1.
func (p *Parameters) number(user, file int) uint64 {
	return uint64(user)*mostFiles + uint64(file) + 1
}

// Open starts one worker.
func (Workload) Open(_ context.Context, t workload.Target, p workload.Parameters, user int, seed uint64) (workload.Session, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return nil, err
	}
	return openWorker(t, own, user, seed)
}

// Blocks reports whether workers wait in calls of the system.
func (Workload) Blocks(workload.Parameters) bool { return true }
