// Package desktops is the work of people at virtual desktops: each user is a session that
// boots, logs in, opens, browses, edits, searches and saves documents, and now and then
// copies, archives and compresses larger files. Each operation belongs to a group with its
// own response times, so a study can limit them group by group. Documents identify
// themselves and are verified at every read. A change is on the medium before it counts as
// acknowledged, and the audit looks for all of them.
package desktops

import (
	"context"
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// Name is the workload's key in studies.
const Name = "desktops"

// Workload implements workload.Workload.
type Workload struct{}

var _ workload.Workload = Workload{}

// Capabilities implements workload.Workload.
func (w Workload) Capabilities() workload.Capabilities {
	return workload.Capabilities{Audit: w.Audit, Blocked: workload.OneBlocked}
}

// Name returns the registry key.
func (Workload) Name() string { return Name }

// Defaults returns fresh parameters.
func (Workload) Defaults() workload.Parameters { return defaults() }

// Describe returns the unit of work, an action of a person, and the operations.
func (Workload) Describe(p workload.Parameters) describe.Profile {
	profile := describe.Profile{
		Workload: Name, User: "session",
		Unit: describe.Unit{Name: "action", Plural: "actions", Throughput: "actions/min", Seconds: 60},
	}
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return profile
	}
	profile.Operations, profile.Unused = own.operations(), own.unused()
	return profile
}

// Roles are a volume without a server.
func (Workload) Roles(workload.Parameters) []workload.Role { return fileio.Roles() }

// Dataset describes the files of each session. It has no key, so every instance's volume is
// prepared in place: a copy would carry the stamps of another volume.
func (Workload) Dataset(p workload.Parameters, kinds workload.Kinds, _ uint64) workload.Dataset {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil || kinds[fileio.VolumeRole] != endpoint.Directory {
		return workload.Dataset{}
	}
	return workload.Loaded(fileio.VolumeRole, own.shape()+" of each session",
		workload.Contents{Space: workload.Space{UserBytes: own.space(), UserFiles: own.files() + int64(len(outputs)) + 4}})
}

// usersOf is how many sessions there are; it is 1 where nobody says.
func usersOf(t workload.Target) int64 { return int64(max(1, t.Users)) }

// ownerOf is for whom a volume is prepared.
func ownerOf(t workload.Target, p *Parameters) fileio.Owner {
	return fileio.Owner{Workload: Name, Instance: t.Instance, Shape: fmt.Sprintf("%d sessions, %s each", usersOf(t), p.shape())}
}

// Open starts one session.
func (Workload) Open(_ context.Context, t workload.Target, p workload.Parameters, user int, seed uint64) (workload.Session, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return nil, err
	}
	return openSession(t, own, user, seed)
}
