// Package video is video capture by surveillance cameras: each user is a stream that
// records at a fixed rate, however fast storage answers, and from time to time reads back a
// few frames. Every frame names its stream and its number. A late frame counts as late, and
// none is left out.
package video

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
const Name = "video"

// Workload implements workload.Workload.
type Workload struct{}

var _ workload.Workload = Workload{}

// Capabilities implements workload.Workload.
func (w Workload) Capabilities() workload.Capabilities {
	return workload.Capabilities{Audit: w.Audit, Blocked: workload.OneBlocked}
}

// Name returns the registry key.
func (Workload) Name() string { return Name }

// Defaults returns fresh parameters: 4.6 MB/s in 10 operations a second.
func (Workload) Defaults() workload.Parameters { return defaults() }

// Numbers of operations; those that do not occur with some parameters have no number.
const operation = 0

// Describe returns the unit of work and the operations.
func (Workload) Describe(p workload.Parameters) describe.Profile {
	profile := describe.Profile{
		Workload: Name, User: "stream", OnVolume: true,
		Unit: describe.Unit{Name: "operation", Plural: "operations", Throughput: "ops/s", Seconds: 1},
	}
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return profile
	}
	profile.Operations, profile.UserRate = own.names(), own.Operations
	profile.Growth = float64(own.frame()) * own.frameShare()
	profile.Direct = own.IO == direct
	if own.Reads == 0 {
		profile.Unused = []string{"read_size", "history"}
	}
	return profile
}

// The names of operations other than the unit of work.
const (
	opWrite = "write" // of a frame
	opRead  = "read"
	opOpen  = "open"  // the next segment
	opFlush = "flush" // of a segment that is full, with its closing
)

// names lists the operations that occur.
func (p *Parameters) names() []string {
	all := []string{"operation", opWrite, opOpen}
	if p.Reads > 0 {
		all = append(all, opRead)
	}
	if p.Flush {
		all = append(all, opFlush)
	}
	return all
}

// Roles are a volume without a server.
func (Workload) Roles(workload.Parameters) []workload.Role {
	return fileio.Roles()
}

// Dataset describes the recordings that Prepare makes for each stream. It has no key, so
// every instance's volume is prepared in place: a copy would carry the stamps of another
// volume.
func (Workload) Dataset(p workload.Parameters, kinds workload.Kinds, _ uint64) workload.Dataset {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil || kinds[fileio.VolumeRole] != endpoint.Directory {
		return workload.Dataset{}
	}
	return workload.Loaded(fileio.VolumeRole, "recordings in "+own.shape(),
		workload.Contents{Space: workload.Space{UserBytes: own.historyFrames() * own.frame()}})
}

// shape is what a volume's recordings must have in common with those that streams
// go on with.
func (p *Parameters) shape() string {
	return fmt.Sprintf("frames of %s, %d to a file", unit.Bytes(p.frame()), p.segmentFrames())
}

// owner is for whom a volume is prepared.
func (p *Parameters) owner(instance int) fileio.Owner {
	return fileio.Owner{Workload: Name, Instance: instance, Shape: fmt.Sprintf("%s, %d recorded", p.shape(), p.historyFrames())}
}

// Open starts one stream.
func (Workload) Open(_ context.Context, t workload.Target, p workload.Parameters, user int, seed uint64) (workload.Session, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return nil, err
	}
	return openStream(t, own, user, seed)
}
