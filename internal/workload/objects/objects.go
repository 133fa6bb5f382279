// Package objects is work on the objects of a bucket (S3): each user puts, gets, lists,
// copies, tags and deletes objects by a mix of weights, with sizes by a mix of their own.
// Every object identifies itself (package blockcheck). Loaded objects never change. A
// session writes below a prefix of its own, so it knows which of its keys exist and with
// which content. The audit verifies that.
package objects

import (
	"context"
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/objectio"
)

// Name is the workload's key in studies.
const Name = "objects"

// Workload implements workload.Workload.
type Workload struct{}

var _ workload.Workload = Workload{}

// Capabilities implements workload.Workload.
func (w Workload) Capabilities() workload.Capabilities {
	return workload.Capabilities{Audit: w.Audit, Answerer: w}
}

// Name returns the registry key.
func (Workload) Name() string { return Name }

// Defaults returns fresh parameters: mostly GETs, of objects of 4 KiB to 1 MiB.
func (Workload) Defaults() workload.Parameters { return defaults() }

// Describe returns the unit of work, a request about one object or a list, and the
// operations.
func (Workload) Describe(p workload.Parameters) describe.Profile {
	profile := describe.Profile{
		Workload: Name,
		Unit:     describe.Unit{Name: "object", Plural: "objects", Throughput: "objects/s", Seconds: 1},
		Answered: true,
	}
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return profile
	}
	profile.Operations, profile.Unused = own.operations(), own.unused()
	return profile
}

// firstByte is the operation that takes a part of a GET's time: from the request to the
// first byte of the object.
const firstByte = "first byte"

// operations are the unit of work, the verbs that occur, and the first byte of GETs.
func (p *Parameters) operations() []string {
	names := []string{"object"}
	for _, verb := range verbs() {
		if p.does(verb) {
			names = append(names, verb)
		}
	}
	if p.does(get) || p.does(part) {
		names = append(names, firstByte)
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

// Roles are a store, which keeps its data on a directory if our own servers fill the role,
// and the proxy in front of it.
func (Workload) Roles(p workload.Parameters) []workload.Role {
	all := []workload.Role{{Name: objectio.StoreRole, Kinds: []string{endpoint.Bucket}, Mounts: workload.Data(), Needed: workload.Always}}
	if own, err := workload.Own[*Parameters](Name, p); err == nil && own.Balanced {
		all = append(all, workload.Role{Name: objectio.BalancerRole, Kinds: []string{endpoint.Bucket}, After: []string{objectio.StoreRole}, Needed: workload.WhileDriven})
	}
	return all
}

// A store's approximate overhead for an object: its inode, its entry, and the rest of its
// last block.
const objectBytes = 5 << 10

// Dataset describes what Prepare writes, and what users add to it. It has no key: every
// instance's store is loaded in place.
func (Workload) Dataset(p workload.Parameters, kinds workload.Kinds, _ uint64) workload.Dataset {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil || kinds[objectio.StoreRole] != endpoint.Bucket {
		return workload.Dataset{}
	}
	each := own.Objects
	if own.changes() {
		each *= 2
	}
	return workload.Loaded(objectio.StoreRole, fmt.Sprintf("%d objects of %s for each user", own.Objects, own.Sizes),
		workload.Contents{Space: workload.Space{
			UserBytes: int64(float64(each) * (own.Sizes.mean() + objectBytes)),
			UserFiles: each,
		}})
}

// usersOf is how many users there are; it is 1 where nobody says.
func usersOf(t workload.Target) int64 { return int64(max(1, t.Users)) }

// Open starts one user.
func (Workload) Open(ctx context.Context, t workload.Target, p workload.Parameters, user int, seed uint64) (workload.Session, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return nil, err
	}
	return openUser(ctx, t, own, user, seed)
}
