package fileio

import (
	"context"
	"net"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
)

// Memory is the workload.Answerer of workloads whose users can do without a volume: they then
// generate contents in their own memory instead of reading them. The profiles of such workloads
// are Answered.
type Memory struct{}

// Answerable implements workload.Answerer.
func (Memory) Answerable(t workload.Target, _ workload.Parameters, address string) (workload.Target, bool) {
	t.Endpoints = []endpoint.Endpoint{{Role: VolumeRole, Kind: endpoint.Directory, Address: address}}
	return t, true
}

// Answer implements workload.Answerer: nobody asks.
func (Memory) Answer(ctx context.Context, _ net.Listener, _ []workload.Target, _ workload.Parameters) error {
	<-ctx.Done()
	return nil
}

// InMemory reports whether users are to do without a volume: a directory of users that are
// answered has an address, and no other has.
func InMemory(t workload.Target) bool { return t.Endpoint(VolumeRole).Address != "" }
