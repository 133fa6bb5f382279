// Package tpcds is analytics: streams of queries derived from those of TPC-DS on its tables,
// each query once and every answer compared with the one that was noted when the data set
// was loaded. Its times are no TPC-DS results.
package tpcds

import (
	"context"
	"fmt"
	"hash/fnv"

	"plimsoll/internal/describe"
	"plimsoll/internal/duckdb"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/tpcds/queries"
)

// Name is the workload's key in studies.
const Name = "tpcds"

// Workload implements workload.Workload.
type Workload struct{}

var (
	_ workload.Workload = Workload{}
	_ workload.Auditor  = Workload{}
)

// Name gives the registry key.
func (Workload) Name() string { return Name }

// Defaults gives fresh parameters: the published list on a gigabyte.
func (Workload) Defaults() workload.Parameters { return defaults() }

// Describe counts queries, by the hour. Each query of the list is an operation.
func (Workload) Describe(p workload.Parameters) describe.Profile {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		own = defaults()
	}
	profile := describe.Profile{
		Workload: Name, User: "stream", Fixed: true,
		Unit:       describe.Unit{Name: "query", Plural: "queries", Throughput: "queries/h", Seconds: 3600},
		Operations: []string{"query"},
	}
	for _, n := range own.Queries {
		profile.Operations = append(profile.Operations, queries.Name(n))
	}
	return profile
}

// warehouse is the only role.
const warehouse = "warehouse"

// Roles are what answers the queries.
func (Workload) Roles(workload.Parameters) []workload.Role {
	return []workload.Role{{Name: warehouse, Kinds: []string{duckdb.Kind}, Mounts: workload.Data(), Needed: workload.Always}}
}

// contentVersion is raised whenever the same parameters would give other tables or notes.
const contentVersion = 1

// bytesPerScale is what the tables of scale factor 1 take as Parquet files, and leastBytes
// those of the smallest one: several tables do not grow with it.
const (
	bytesPerScale = 340e6
	leastBytes    = 5e6
)

// Dataset describes the tables and the noted answers, which depend on the list of queries.
func (Workload) Dataset(p workload.Parameters, kinds workload.Kinds, seed uint64) workload.Dataset {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil || kinds[warehouse] != duckdb.Kind {
		return workload.Dataset{}
	}
	return workload.Loaded(warehouse, fmt.Sprintf("tables of TPC-DS, scale factor %v, as Parquet files", own.ScaleFactor), workload.Contents{
		Key:   fmt.Sprintf("%s-seed%d", own.shape(), seed),
		Space: workload.Space{Bytes: int64(leastBytes + bytesPerScale*own.ScaleFactor)},
	})
}

// shape names what is loaded: sessions refuse the data set of another.
func (p *Parameters) shape() string {
	list := fnv.New64a()
	fmt.Fprint(list, p.Queries) // a hash takes everything
	return fmt.Sprintf("%s-sf%v-%s-%s-%x-content%d", Name, p.ScaleFactor, p.Compression, queries.Version, list.Sum64(), contentVersion)
}

// Open starts one stream.
func (Workload) Open(ctx context.Context, t workload.Target, p workload.Parameters, user int, seed uint64) (workload.Session, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return nil, err
	}
	return openStream(ctx, t, own, user, seed)
}
