package oltp

import (
	"fmt"
	"strings"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/text/words"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/oltp/data"
	"plimsoll/internal/workload/oltp/session"
)

// contentVersion is raised whenever the same parameters and seed would give
// other rows or tables, so that golden volumes of older releases are not taken
// for new ones.
const contentVersion = 1

// Database and User are sysbench's defaults.
const (
	Database = "sbtest"
	User     = "sbtest"
)

// Dataset says what Prepare loads. Parameters that Validate refuses and kinds
// that sessions cannot speak to give an empty data set.
func (Workload) Dataset(p workload.Parameters, kinds workload.Kinds, seed uint64) workload.Dataset {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return workload.Dataset{}
	}
	kind := kinds[db]
	if kind != sqlwire.Postgres && kind != sqlwire.MariaDB {
		return workload.Dataset{}
	}
	text := fmt.Sprintf("sysbench OLTP: %s of %s rows each", words.Count(own.Tables, "table"), words.Whole(own.TableSize))
	return workload.Loaded(db, text, workload.Contents{
		Key: own.key(kind, seed), Database: Database, User: User,
		Space: workload.Space{Bytes: own.space(kind)},
	})
}

// key names what Prepare loads. Column k is drawn from the distribution that
// users draw from, as in sysbench.
func (p *Parameters) key(kind string, seed uint64) string {
	shape := p.RandType
	switch p.RandType {
	case data.Gaussian:
		shape += fmt.Sprint(p.RandSpecIter)
	case data.Special:
		shape += fmt.Sprintf("%d-%d-%d", p.RandSpecIter, p.RandSpecPct, p.RandSpecRes)
	case data.Pareto:
		shape += fmt.Sprint(p.RandParetoH)
	case data.Zipfian:
		shape += fmt.Sprint(p.RandZipfianExp)
	}
	if !p.CreateSecondary {
		shape += "-bare"
	}
	return fmt.Sprintf("%s-%s-%dx%d-%s-seed%d-content%d", Name, strings.TrimPrefix(kind, "sql:"), p.Tables, p.TableSize, shape, seed, contentVersion)
}

// Bytes of a row with its part of the primary key, of its part of the index of
// k, and of what a table takes besides, as measured with 10,000 to 1,000,000
// rows (TestDatasetSpace).
func (p *Parameters) space(kind string) int64 {
	row, index, table, ahead := int64(250), int64(10), int64(64<<10), int64(0)
	if kind == sqlwire.MariaDB {
		row, index, ahead = 235, 18, 8<<20 // the file of a table that has outgrown its first extent
	}
	if p.CreateSecondary {
		row += index
	}
	bytes := table + row*p.TableSize
	if bytes > 1<<20 {
		bytes += ahead
	}
	return int64(p.Tables) * bytes
}

// growth is what a transaction adds to the volume, about: new versions of rows
// until they are vacuumed or purged, and rows.
func (p *Parameters) growth() (bytes float64) {
	for _, s := range p.steps() {
		switch s.Kind {
		case session.IndexUpdate, session.NonIndexUpdate, session.DeleteInsert, session.Addition:
			bytes += 270 * float64(s.Count)
		}
	}
	return bytes
}
