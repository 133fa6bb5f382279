// Package network is streams of messages over TCP between hosts: each user is a stream
// that sends messages of one size to a sink (package sink), or receives them from it, as
// fast as TCP lets it or at the rate of the study. At its end a stream asks the sink what
// came of it: as many bytes must have arrived as were sent, and the same ones.
package network

import (
	"context"

	"plimsoll/internal/app/builtin/sink"
	"plimsoll/internal/describe"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
)

// Name is the workload's key in studies.
const Name = "network"

// Workload implements workload.Workload.
type Workload struct{}

var _ workload.Workload = Workload{}

// Capabilities implements workload.Workload.
func (w Workload) Capabilities() workload.Capabilities {
	return workload.Capabilities{Audit: w.Audit}
}

// Name returns the registry key.
func (Workload) Name() string { return Name }

// Parameters are what a study can set. How many streams there are, and a rate, belong to
// the study's load.
type Parameters struct {
	Message      unit.Bytes `yaml:"message" json:"message" jsonschema:"description=Size of a message: what one call hands to TCP or takes from it"`
	SocketBuffer unit.Bytes `yaml:"socket_buffer" json:"socket_buffer" jsonschema:"description=Size of the socket's buffer at either end; 0 leaves it to the system"`
	Direction    string     `yaml:"direction" json:"direction" jsonschema:"enum=send,enum=receive,description=Whether users send to the sink or receive from it"`
}

// Directions, as users see them.
const (
	sending   = "send"
	receiving = "receive"
)

// Defaults returns fresh parameters: messages of 64 KiB to the sink.
func (Workload) Defaults() workload.Parameters {
	return &Parameters{Message: 64 << 10, Direction: sending}
}

// leastBuffer is what every kernel grants.
const leastBuffer = 4 << 10

// Validate reports every impossible value.
func (p *Parameters) Validate() []describe.Problem {
	var wrong describe.Problems
	if p.Message < 1 || p.Message > sink.LargestMessage {
		wrong.Add("message", "must be 1 byte to %s, got %s", unit.Bytes(sink.LargestMessage), p.Message)
	}
	if p.SocketBuffer != 0 && (p.SocketBuffer < leastBuffer || p.SocketBuffer > sink.LargestBuffer) {
		wrong.Add("socket_buffer", "must be 0 (the system's) or %s to %s, got %s", unit.Bytes(leastBuffer), unit.Bytes(sink.LargestBuffer), p.SocketBuffer)
	}
	if p.Direction != sending && p.Direction != receiving {
		wrong.Add("direction", "must be %s or %s, got %q", sending, receiving, p.Direction)
	}
	return wrong
}

// gigabit is its size in bytes.
const gigabit = 1e9 / 8

// Describe returns the unit of work and the operations.
func (Workload) Describe(workload.Parameters) describe.Profile {
	return describe.Profile{
		Workload:   Name,
		User:       "stream",
		Unit:       describe.Unit{Name: "message", Plural: "messages", Throughput: "Gb/s", Seconds: 1, Bytes: true, Each: gigabit},
		Operations: []string{"message"},
		Busy:       true,
	}
}

// sinkRole is the only role.
const sinkRole = "sink"

// Roles are a sink, which keeps nothing.
func (Workload) Roles(workload.Parameters) []workload.Role {
	return []workload.Role{{Name: sinkRole, Kinds: []string{sink.Kind}, Needed: workload.WhileDriven}}
}

// Dataset is none.
func (Workload) Dataset(workload.Parameters, workload.Kinds, uint64) workload.Dataset {
	return workload.Dataset{Description: "nothing is prepared"}
}

// Prepare has nothing to do.
func (Workload) Prepare(_ context.Context, _ workload.Target, _ workload.Parameters, _ uint64, progress func(float64)) error {
	progress(1)
	return nil
}

// Open begins one stream.
func (Workload) Open(ctx context.Context, t workload.Target, p workload.Parameters, _ int, seed uint64) (workload.Session, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return nil, err
	}
	return open(ctx, t, own, seed)
}
