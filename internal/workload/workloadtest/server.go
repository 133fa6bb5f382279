package workloadtest

import (
	"testing"

	"plimsoll/internal/endpoint"
	"plimsoll/internal/workload"
)

// RunOnServer is the suite for a workload whose servers keep nothing, and whose sessions
// are paced. start starts such a server until the end of the test. The suite's engine,
// receipts and damages are not used.
func RunOnServer(t *testing.T, s Suite, start func(t *testing.T) endpoint.Endpoint) {
	t.Run("parameters", s.parameters)
	t.Run("profile", s.profile)
	t.Run("data set", s.nothing)
	for _, r := range s.Workload.Roles(s.Parameters) {
		if len(r.Mounts) > 0 {
			t.Fatalf("the servers of role %s keep data", r.Name)
		}
	}
	b := &volumeBench{s, workload.Target{Users: users, Endpoints: []endpoint.Endpoint{start(t)}}}
	t.Run("prepare", b.prepare)
	t.Run("sessions work, and the audit misses nothing", b.sessions)
}

// nothing makes sure that nothing is prepared.
func (s Suite) nothing(t *testing.T) {
	if d := s.Workload.Dataset(s.Parameters, nil, seed); d.Key != "" || d.Bytes != 0 || d.Description == "" {
		t.Errorf("%+v is prepared, although servers keep nothing", d)
	}
}
