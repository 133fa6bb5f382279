// Package smallfiles is work on many small files in a tree of directories, as smallfile
// does it: each user is a worker that creates, reads, appends to, stats, renames, lists or
// deletes its files, or all of these mixed. Every file identifies itself (package
// blockcheck). A worker knows which of its files exist, under which name and with which
// content, and the audit verifies that.
package smallfiles

import (
	"context"
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// Name is the workload's key in studies.
const Name = "smallfiles"

// Workload implements workload.Workload.
type Workload struct{}

var _ workload.Workload = Workload{}

// Capabilities implements workload.Workload.
func (w Workload) Capabilities() workload.Capabilities {
	return workload.Capabilities{Audit: w.Audit, Blocked: workload.OneBlocked}
}

// Name returns the registry key.
func (Workload) Name() string { return Name }

// Defaults returns fresh parameters: 1000 files of 32 KiB for each worker are created.
func (Workload) Defaults() workload.Parameters { return defaults() }

// Describe returns the unit of work, a file, or a directory if only directories are listed,
// and the operations.
func (Workload) Describe(p workload.Parameters) describe.Profile {
	profile := describe.Profile{
		Workload: Name,
		Unit:     describe.Unit{Name: "file", Plural: "files", Throughput: "files/s", Seconds: 1},
		User:     "worker",
		OnVolume: true,
	}
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return profile
	}
	if !own.Verify {
		profile.Correctness = "files are there with their names and sizes; their content is not verified (verify: false)"
	}
	if own.Operation == list {
		profile.Unit = describe.Unit{Name: "directory", Plural: "directories", Throughput: "directories/s", Seconds: 1}
	}
	profile.Fixed, profile.Unused = own.Work == once, own.unused()
	profile.ReadsOnce = profile.Fixed && own.Operation != mixed
	profile.Operations = own.operations()
	if own.flushes() {
		profile.Optional = []string{flush}
	}
	return profile
}

// flush is the operation that takes a part of another's time.
const flush = "flush"

// operations are the unit of work, and then the verbs that occur.
func (p *Parameters) operations() []string {
	names := []string{"file"}
	if p.Operation == list {
		names = []string{"directory"}
	}
	for _, verb := range verbs() {
		if p.does(verb) {
			names = append(names, verb)
		}
	}
	if p.flushes() {
		names = append(names, flush)
	}
	return names
}

// numbers returns the number of each operation.
func (p *Parameters) numbers() map[string]int {
	all := map[string]int{}
	for i, name := range p.operations() {
		all[name] = i
	}
	return all
}

// flushes reports whether there is something to flush.
func (p *Parameters) flushes() bool { return p.Flush && p.changes() }

// Roles are a volume without a server.
func (Workload) Roles(workload.Parameters) []workload.Role {
	return fileio.Roles()
}

// What file systems need, about, besides the content: blocks of content are whole,
// and a file has an inode and an entry of a directory.
const (
	blockBytes = 4 << 10
	inodeBytes = 1 << 10
)

// Dataset describes what Prepare writes and what workers add to it. It has no key, so every
// instance's volume is prepared in place: a copy would carry the identity of another
// volume.
func (Workload) Dataset(p workload.Parameters, kinds workload.Kinds, _ uint64) workload.Dataset {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil || kinds[fileio.VolumeRole] != endpoint.Directory {
		return workload.Dataset{}
	}
	text := fmt.Sprintf("%d files of %s for each worker, at most %d in a directory", own.Files, own.FileSize, own.FanOut)
	return workload.Loaded(fileio.VolumeRole, text, workload.Contents{Space: workload.Space{
		UserBytes: own.space(),
		UserFiles: int64(own.Files) + int64(own.Files)/int64(max(1, own.FanOut)) + 1,
	}})
}

// space is what the files of a worker take at most.
func (p *Parameters) space() int64 {
	blocks := (p.bytes(p.grows()) + blockBytes - 1) / blockBytes
	directories := 2 * (p.Files/p.FanOut + int64(p.Depth) + 1)
	return p.Files*(blocks*blockBytes+inodeBytes) + directories*blockBytes
}

// ownerOf is for whom a volume is prepared.
func ownerOf(t workload.Target, p *Parameters) fileio.Owner {
	return fileio.Owner{Workload: Name, Instance: t.Instance, Shape: p.shape(usersOf(t))}
}

// usersOf is how many workers there are; it is 1 where nobody says.
func usersOf(t workload.Target) int64 { return int64(max(1, t.Users)) }

// Open starts one worker.
func (Workload) Open(_ context.Context, t workload.Target, p workload.Parameters, user int, seed uint64) (workload.Session, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return nil, err
	}
	return openWorker(t, own, user, seed)
}
