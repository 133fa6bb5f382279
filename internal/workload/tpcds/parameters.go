package tpcds

import (
	"slices"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/text/unit"
)

// Parameters are what a study can set. How many streams there are belongs to its load.
type Parameters struct {
	ScaleFactor float64       `yaml:"scale_factor" json:"scale_factor" jsonschema:"exclusiveMinimum=0,maximum=100000,description=Size of the tables: about so many gigabytes as text and a third of it as Parquet files"`
	Queries     []int         `yaml:"queries" json:"queries" jsonschema:"description=Numbers (1 to 99) of the queries in the order in which a single stream runs them; several streams have an order each"`
	Work        string        `yaml:"work" json:"work" jsonschema:"enum=queries,enum=load,description=What streams do: run the queries; or make the tables (load) so that the time of that is a result"`
	Tables      string        `yaml:"tables" json:"tables" jsonschema:"enum=files,enum=bucket,enum=given,description=Where the tables lie: in files of one server (DuckDB); in a bucket that a cluster of Trino asks; or in a catalogue and schema of an existing Trino (given) which stay as they are"`
	Single      bool          `yaml:"single" json:"single" jsonschema:"description=The bucket is asked by one server of DuckDB rather than by a cluster of Trino"`
	Balanced    bool          `yaml:"balanced" json:"balanced" jsonschema:"description=The cluster reaches the bucket through a role of its own in front of the gateways (balancer)"`
	Connector   string        `yaml:"connector" json:"connector" jsonschema:"enum=hive,enum=iceberg,description=How the cluster keeps the tables in the bucket: as Hive does with their descriptions beside them; or as tables of Iceberg with their descriptions in a database that fills a role of its own (metastore)"`
	Compression string        `yaml:"compression" json:"compression" jsonschema:"enum=uncompressed,enum=snappy,enum=zstd,description=How the files of the tables are compressed"`
	Format      string        `yaml:"format" json:"format" jsonschema:"enum=parquet,enum=orc,description=Format of the files in a bucket"`
	FileSize    unit.Bytes    `yaml:"file_size" json:"file_size" jsonschema:"description=Size of a file in a bucket beyond which a writer begins the next; without it Trino's own"`
	TimeLimit   unit.Duration `yaml:"time_limit" json:"time_limit" jsonschema:"description=A query that takes longer is ended and has failed" bounds:">0s.."`
}

// What streams do.
const (
	asking  = "queries"
	loading = "load"
)

// Where the tables lie.
const (
	inFiles  = "files"
	inBucket = "bucket"
	given    = "given"
)

// How a cluster keeps tables.
const (
	hive    = "hive"
	iceberg = "iceberg"
)

// Formats of files.
const (
	parquet = "parquet"
	orc     = "orc"
)

func defaults() *Parameters {
	return &Parameters{
		ScaleFactor: 1, Queries: IOIntensive(), Work: asking, Tables: inFiles,
		Connector: hive, Compression: "snappy", Format: parquet, TimeLimit: unit.Duration(10 * time.Minute),
	}
}

// smallestFile is the least that a file may be bounded to: writers look at its size after
// each piece of some 100 KiB.
const smallestFile = 1 << 20

// Validate reports every impossible value.
func (p *Parameters) Validate() []describe.Problem {
	wrong := describe.Bounds(p)
	if len(p.Queries) == 0 {
		wrong.Add("queries", "must have at least one number")
	}
	for i, n := range p.Queries {
		if n < 1 || n > Count {
			wrong.Add("queries", "must be numbers from 1 to %d, got %d", Count, n)
		} else if slices.Contains(p.Queries[:i], n) {
			wrong.Add("queries", "%d is there twice", n)
		}
	}
	if p.Work == loading && p.Tables != inBucket {
		wrong.Add("work", "%s needs tables: %s, got tables: %s", loading, inBucket, p.Tables)
	}
	if p.Balanced && p.Tables != inBucket {
		wrong.Add("balanced", "needs tables: %s, got tables: %s", inBucket, p.Tables)
	}
	if p.Connector == iceberg && p.Tables != inBucket {
		wrong.Add("connector", "%s needs tables: %s, got tables: %s", iceberg, inBucket, p.Tables)
	}
	p.checkSingle(&wrong)
	if p.FileSize != 0 && p.FileSize < smallestFile {
		wrong.Add("file_size", "must be 0 or at least %s, got %s", unit.Bytes(smallestFile), p.FileSize)
	}
	return wrong
}

// checkSingle refuses what only a cluster does.
func (p *Parameters) checkSingle(wrong *describe.Problems) {
	switch {
	case !p.Single:
	case p.Tables != inBucket:
		wrong.Add("single", "needs tables: %s, got tables: %s", inBucket, p.Tables)
	case p.Work == loading, p.Connector != hive, p.Format != parquet:
		wrong.Add("single", "goes with work: %s, connector: %s and format: %s alone, got %s, %s and %s", asking, hive, parquet, p.Work, p.Connector, p.Format)
	}
}

// unused lists the keys that have no effect given the others.
func (p *Parameters) unused() (keys []string) {
	if p.Work == loading {
		keys = append(keys, "queries")
	}
	switch {
	case p.Tables == inFiles, p.Single:
		keys = append(keys, "connector", "file_size", "format")
	case p.Tables == given:
		keys = append(keys, "compression", "connector", "file_size", "format", "scale_factor")
	}
	slices.Sort(keys)
	return keys
}
