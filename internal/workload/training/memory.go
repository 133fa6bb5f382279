package training

import (
	"context"
	"net"

	"plimsoll/internal/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

var _ workload.Answered = Workload{}

// memoryKind is the endpoint of samples that readers make in their own memory, where they would
// read them.
const memoryKind = "memory"

func inMemory(t workload.Target) bool { return t.Endpoint(fileio.VolumeRole).Kind == memoryKind }

// Answerable implements workload.Answered: the same readers make and verify samples in memory,
// and accelerators take them without computing.
func (Workload) Answerable(t workload.Target, _ workload.Parameters, _ string) (workload.Target, bool) {
	t.Endpoints = []endpoint.Endpoint{{Role: fileio.VolumeRole, Kind: memoryKind}}
	return t, true
}

// Answer implements workload.Answered: nobody asks.
func (Workload) Answer(ctx context.Context, _ net.Listener, _ []workload.Target, _ workload.Parameters) error {
	<-ctx.Done()
	return nil
}
