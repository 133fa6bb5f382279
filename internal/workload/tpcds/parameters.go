package tpcds

import (
	"slices"
	"time"

	"plimsoll/internal/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/tpcds/queries"
)

// Parameters are what a study can set. How many streams there are belongs to its load.
type Parameters struct {
	ScaleFactor float64       `yaml:"scale_factor" json:"scale_factor" jsonschema:"exclusiveMinimum=0,description=Size of the tables: about so many gigabytes as text and a third of it as Parquet files"`
	Queries     []int         `yaml:"queries" json:"queries" jsonschema:"description=Numbers (1 to 99) of the queries in the order in which a single stream runs them; several streams have an order each"`
	Compression string        `yaml:"compression" json:"compression" jsonschema:"enum=uncompressed,enum=snappy,enum=zstd,description=How the files of the tables are compressed"`
	TimeLimit   unit.Duration `yaml:"time_limit" json:"time_limit" jsonschema:"description=A query that takes longer is ended and has failed"`
}

func defaults() *Parameters {
	return &Parameters{ScaleFactor: 1, Queries: queries.IOIntensive(), Compression: "snappy", TimeLimit: unit.Duration(10 * time.Minute)}
}

// largestScale is that of TPC-DS, in gigabytes.
const largestScale = 100_000

// Validate reports every impossible value.
func (p *Parameters) Validate() []workload.ParameterError {
	var wrong workload.Wrong
	if !(p.ScaleFactor > 0 && p.ScaleFactor <= largestScale) {
		wrong.Add("scale_factor", "must be above 0 and at most %d, got %v", largestScale, p.ScaleFactor)
	}
	if len(p.Queries) == 0 {
		wrong.Add("queries", "must have at least one number")
	}
	for i, n := range p.Queries {
		if n < 1 || n > queries.Count {
			wrong.Add("queries", "must be numbers from 1 to %d, got %d", queries.Count, n)
		} else if slices.Contains(p.Queries[:i], n) {
			wrong.Add("queries", "%d is there twice", n)
		}
	}
	wrong.OneOf("compression", p.Compression, "uncompressed", "snappy", "zstd")
	if p.TimeLimit <= 0 {
		wrong.Add("time_limit", "must be above 0, got %v", p.TimeLimit.D())
	}
	return wrong
}
