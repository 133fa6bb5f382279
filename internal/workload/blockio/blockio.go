// Package blockio is random and sequential I/O on files or raw devices, in the manner of
// fio and Iometer: each user is a worker that keeps a number of I/Os in flight in its own
// range of the volume. Every written block identifies itself (package blockcheck), and
// every block that is read is compared with the last write that was acknowledged there.
package blockio

import (
	"context"
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
)

// Name is the workload's key in studies.
const Name = "blockio"

// Workload implements workload.Workload.
type Workload struct{}

var _ workload.Workload = Workload{}

// Capabilities implements workload.Workload.
func (w Workload) Capabilities() workload.Capabilities {
	return workload.Capabilities{Audit: w.Audit}
}

// Name returns the registry key.
func (Workload) Name() string { return Name }

// Defaults returns fresh parameters: 4 KiB random, 70 % reads, 8 outstanding.
func (Workload) Defaults() workload.Parameters { return defaults() }

// Describe returns the unit of work and the operations.
func (Workload) Describe(p workload.Parameters) describe.Profile {
	profile := describe.Profile{
		Workload: Name, OnVolume: true,
		Unit: describe.Unit{Name: "I/O", Plural: "I/Os", Throughput: "IOPS", Seconds: 1},
	}
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return profile
	}
	if !own.Verify {
		profile.Correctness = "nothing is verified (verify: false)"
	}
	profile.Operations, profile.Outstanding, profile.Direct = own.operations(), own.Outstanding, own.Mode == modeDirect
	profile.Requests = own.requests()
	return profile
}

// requests are the requests of an I/O: one.
func (p *Parameters) requests() []describe.Request {
	sum, weights := 0.0, 0.0
	for _, w := range p.Block {
		sum, weights = sum+w.Weight*float64(w.Bytes), weights+w.Weight
	}
	if weights <= 0 {
		return nil
	}
	return describe.Request{Bytes: sum / weights, Sequential: p.sequential()}.Mix(p.Read / 100)
}

// sequential is the share of I/Os that begin where the worker's last one ended; nil where sizes
// that are aligned leave gaps.
func (p *Parameters) sequential() *float64 {
	if p.Access != accessSequential {
		return new(float64)
	}
	for _, w := range p.Block {
		for _, before := range p.Block {
			if before.Bytes%p.align(w.Bytes) != 0 {
				return nil
			}
		}
	}
	all := 1.0
	return &all
}

// operations are the I/O itself, and then reads and writes, by size if there
// are several.
func (p *Parameters) operations() []string {
	names := []string{"I/O"}
	for _, verb := range p.verbs() {
		for _, w := range p.Block {
			name := verb
			if len(p.Block) > 1 {
				name += "-" + unit.Bytes(w.Bytes).String()
			}
			names = append(names, name)
		}
	}
	return names
}

func (p *Parameters) verbs() []string {
	switch p.Read {
	case 0:
		return []string{"write"}
	case 100:
		return []string{"read"}
	}
	return []string{"read", "write"}
}

// operation is the number of what an I/O is reported as besides operation 0.
func (p *Parameters) operation(i place) int {
	if i.read || p.Read == 0 {
		return 1 + i.size
	}
	return 1 + len(p.Block) + i.size
}

// Roles are a volume without a server.
func (Workload) Roles(workload.Parameters) []workload.Role {
	return []workload.Role{{Name: volumeRole, Kinds: []string{endpoint.Directory, endpoint.Device}, Needed: workload.Always}}
}

// Dataset describes what Prepare writes. It has no key, so every instance's volume is
// prepared in place. A copy would carry the stamps of another volume, and share its blocks
// with other copies until they are overwritten.
func (Workload) Dataset(p workload.Parameters, kinds workload.Kinds, _ uint64) workload.Dataset {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil || kinds[volumeRole] != endpoint.Directory && kinds[volumeRole] != endpoint.Device {
		return workload.Dataset{}
	}
	text := fmt.Sprintf("%s in blocks of %s", own.Size, unit.Bytes(own.unit()))
	if own.Size == 0 {
		text = fmt.Sprintf("a whole device in blocks of %s", unit.Bytes(own.unit()))
	}
	return workload.Loaded(volumeRole, text, workload.Contents{Space: workload.Space{Bytes: int64(own.Size)}})
}

// Open starts one worker.
func (Workload) Open(_ context.Context, t workload.Target, p workload.Parameters, user int, seed uint64) (workload.Session, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return nil, err
	}
	return openWorker(t, own, user, seed)
}
