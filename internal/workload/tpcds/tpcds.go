// Package tpcds is analytics: streams of queries derived from TPC-DS on its tables, each
// query once. Every answer is compared with the one that was noted when the data set was
// loaded. Its times are not TPC-DS results.
package tpcds

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"

	"plimsoll/internal/client/duckdb"
	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/trino"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
)

// Name is the workload's key in studies.
const Name = "tpcds"

// Workload implements workload.Workload.
type Workload struct{}

var _ workload.Workload = Workload{}

// Capabilities implements workload.Workload.
func (w Workload) Capabilities() workload.Capabilities {
	return workload.Capabilities{Audit: w.Audit}
}

// Name returns the registry key.
func (Workload) Name() string { return Name }

// Defaults returns fresh parameters: the published list on a gigabyte.
func (Workload) Defaults() workload.Parameters { return defaults() }

// Describe counts queries, by the hour. Each query of the list is an operation. Where
// streams make the tables, these are counted instead.
func (Workload) Describe(p workload.Parameters) describe.Profile {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		own = defaults()
	}
	profile := describe.Profile{Workload: Name, User: "stream", Fixed: true, Listed: true, Unused: own.unused()}
	if own.Work == loading {
		profile.Unit = describe.Unit{Name: "table", Plural: "tables", Throughput: "tables/h", Seconds: 3600}
		profile.Operations = append(append([]string{"table"}, tables...), "analyze")
		return profile
	}
	profile.Unit = describe.Unit{Name: "query", Plural: "queries", Throughput: "queries/h", Seconds: 3600}
	profile.Operations = []string{"query"}
	for _, n := range own.Queries {
		profile.Operations = append(profile.Operations, queryName(n))
	}
	return profile
}

// Roles of an instance.
const (
	warehouse    = "warehouse" // what answers the queries
	workerRole   = "worker"
	storeRole    = "store"
	balancerRole = "balancer" // in front of the store
	metastore    = "metastore"
)

// Roles are what answers the queries: one server that keeps the tables itself; or a
// coordinator and its workers, and the store of the bucket. Of an existing server only the
// coordinator is known.
func (Workload) Roles(p workload.Parameters) []workload.Role {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		own = defaults()
	}
	switch own.Tables {
	case inBucket:
		return overBucket(own)
	case given:
		return []workload.Role{{Name: warehouse, Kinds: []string{trino.Kind}, Mounts: workload.Data(), Needed: workload.Presence{Drive: true, Audit: true}}}
	}
	return []workload.Role{{Name: warehouse, Kinds: []string{duckdb.Kind}, Mounts: workload.Data(), Needed: workload.Always}}
}

// overBucket are a cluster's roles: the gateways of the bucket, what stands in front of them
// if anything does, and the servers, with a directory each to spill to. Servers of one cluster
// must agree whether queries spill: where only workers have a directory for it, plans with
// joins fail.
//
// Instead of a cluster, one server of DuckDB may ask the bucket. With Iceberg, a database has what Hive keeps in the bucket: which tables there are.
func overBucket(p *Parameters) []workload.Role {
	all := []workload.Role{{Name: storeRole, Kinds: []string{endpoint.Bucket}, Mounts: workload.Data(), Needed: workload.Always}}
	used := []string{storeRole}
	if p.Balanced {
		all = append(all, workload.Role{Name: balancerRole, Kinds: []string{endpoint.Bucket}, After: []string{storeRole}, Needed: workload.Always})
		used = []string{balancerRole}
	}
	if p.Connector == iceberg {
		all = append(all, workload.Role{Name: metastore, Kinds: []string{sqlwire.Postgres}, Mounts: workload.Data(), Needed: workload.Always})
		used = append(used, metastore)
	}
	spill := []describe.Mount{{Name: "spill", Kinds: []string{endpoint.Directory}}}
	if p.Single {
		return append(all, workload.Role{Name: warehouse, Kinds: []string{duckdb.Kind}, After: used, Mounts: spill, Needed: workload.Always})
	}
	return append(all,
		workload.Role{Name: warehouse, Kinds: []string{trino.Kind}, After: used, Mounts: spill, Needed: workload.Always},
		workload.Role{
			Name: workerRole, Kinds: []string{trino.Kind}, After: append(slices.Clone(used), warehouse), Siblings: true,
			Mounts: spill, Needed: workload.Always,
		})
}

// contentVersion is raised whenever the same parameters would give other tables or notes.
const contentVersion = 1

// bytesPerScale is the size of the tables of scale factor 1 as Parquet files, and
// leastBytes the size at the smallest scale factor: several tables do not grow with it.
const (
	bytesPerScale = 340e6
	leastBytes    = 5e6
)

// Dataset describes the tables and the noted answers, which depend on the list of queries.
// It has no key where streams make the tables: every instance begins without any.
func (Workload) Dataset(p workload.Parameters, kinds workload.Kinds, seed uint64) workload.Dataset {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return workload.Dataset{}
	}
	if own.Tables == given {
		return workload.Dataset{Description: "tables of an existing server, which stay as they are"}
	}
	in, kind := warehouse, duckdb.Kind
	if own.Tables == inBucket {
		in, kind = storeRole, endpoint.Bucket
	}
	if kinds[in] != kind || own.Connector == iceberg && kinds[metastore] != sqlwire.Postgres {
		return workload.Dataset{}
	}
	all := workload.Contents{Space: workload.Space{Bytes: int64(leastBytes + bytesPerScale*own.ScaleFactor)}}
	what := "tables of TPC-DS, scale factor %v, as %s files"
	if own.Work == loading {
		what = "nothing yet: streams make the " + what
	} else {
		all.Key = fmt.Sprintf("%s-seed%d", own.shape(), seed)
	}
	set := workload.Loaded(in, fmt.Sprintf(what, own.ScaleFactor, formatNames[own.Format]), all)
	if own.Connector == iceberg {
		set.Description += " of Iceberg"
		set.Roles[metastore] = workload.Contents{Key: all.Key, Database: catalogDatabase, User: catalogUser, Space: workload.Space{Bytes: catalogBytes}}
	}
	return set
}

// formatNames are the names that formats give themselves.
var formatNames = map[string]string{parquet: "Parquet", orc: "ORC"}

// shape identifies the loaded data set. Sessions refuse a data set of another shape.
func (p *Parameters) shape() string {
	list := fnv.New64a()
	fmt.Fprint(list, p.Queries) // a hash takes everything
	shape := fmt.Sprintf("%s-sf%v-%s-%s-%x-content%d", Name, p.ScaleFactor, p.Compression, Version, list.Sum64(), contentVersion)
	if p.Tables == inBucket {
		shape += fmt.Sprintf("-%s-%s-%d", p.Tables, p.Format, p.FileSize)
		if p.Connector != hive {
			shape += "-" + p.Connector
		}
		if p.Single {
			shape += "-" + duckdb.Kind
		}
	}
	return shape
}

// Open starts one stream.
func (Workload) Open(ctx context.Context, t workload.Target, p workload.Parameters, user int, seed uint64) (workload.Session, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return nil, err
	}
	if own.Work == loading {
		return openMaker(ctx, t, own, user)
	}
	return openStream(ctx, t, own, user, seed)
}
