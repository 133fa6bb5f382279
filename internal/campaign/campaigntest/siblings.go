package campaigntest

import (
	"context"
	"fmt"

	"plimsoll/internal/app"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// ClusterName is a workload on a database of three servers that must know each other, and
// ClusterDB that database.
const (
	ClusterName = "fakecluster"
	ClusterDB   = "fakeclusterdb"
	siblings    = 3
)

// WithSiblings adds them to the world.
func (w *World) WithSiblings() {
	w.with = append(w.with, func(p *facts.Parts) {
		p.Workloads[ClusterName] = &cluster{&work{w, ClusterName}}
		p.Engines[ClusterDB] = clusterDB{database{engine{w, ClusterDB, databaseKind}}}
	})
}

// OfSiblings is a variant of such databases.
func OfSiblings(name string) study.Variant {
	v := Variant(name, Parameters{})
	v.Workload.Name = ClusterName
	v.Stack[dbRole] = study.Engine{Name: ClusterDB, Count: siblings}
	return v
}

type cluster struct{ *work }

func (*cluster) Roles(workload.Parameters) []workload.Role {
	return []workload.Role{{Name: dbRole, Kinds: []string{databaseKind}, Siblings: true, Mounts: workload.Data(), Needed: workload.Always}}
}

func (c *cluster) Dataset(p workload.Parameters, _ workload.Kinds, seed uint64) workload.Dataset {
	return ten(c.Roles(p), p, seed)
}

// clusterDB becomes ready only if it was given all servers, at the addresses that these
// then have.
type clusterDB struct{ database }

func (e clusterDB) Server(in app.Installation, c app.Config) app.Server {
	s := e.database.Server(in, c)
	ready := s.Ready
	s.Ready = func(ctx context.Context, at endpoint.Endpoint) error {
		if len(c.Siblings) != siblings || c.Siblings[c.Self] != at.Address {
			return fmt.Errorf("%s at %s was told of %v and that it is number %d", c.Name, at.Address, c.Siblings, c.Self)
		}
		return ready(ctx, at)
	}
	return s
}
