package training

import (
	"context"
	"net"

	"plimsoll/internal/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

var _ workload.Answered = Workload{}

// inMemory reports whether readers make samples in their own memory, where they would read them:
// a directory of users that are answered has an address, and no other has.
func inMemory(t workload.Target) bool { return t.Endpoint(fileio.VolumeRole).Address != "" }

// Answerable implements workload.Answered: the same readers make and verify samples in memory,
// and accelerators take them without computing.
func (Workload) Answerable(t workload.Target, _ workload.Parameters, address string) (workload.Target, bool) {
	t.Endpoints = []endpoint.Endpoint{{Role: fileio.VolumeRole, Kind: endpoint.Directory, Address: address}}
	return t, true
}

// Answer implements workload.Answered: nobody asks.
func (Workload) Answer(ctx context.Context, _ net.Listener, _ []workload.Target, _ workload.Parameters) error {
	<-ctx.Done()
	return nil
}
