package oltp

import (
	"slices"

	"plimsoll/internal/describe"
	"plimsoll/internal/workload/oltp/data"
	"plimsoll/internal/workload/oltp/session"
)

// Parameters are the settings of a study. Names, meanings and defaults are taken from
// sysbench 1.0.20's oltp_* tests; threads, rate and time belong to the study's load.
type Parameters struct {
	Mode            string `yaml:"mode" json:"mode" jsonschema:"enum=read_write,enum=read_only,enum=write_only,enum=point_select,enum=update_index,enum=update_non_index,enum=insert,enum=delete,description=Which of sysbench's oltp_* tests a transaction is"`
	Tables          int    `yaml:"tables" json:"tables" jsonschema:"minimum=1,maximum=10000,description=Number of tables: sbtest1; sbtest2 and so on"`
	TableSize       int64  `yaml:"table_size" json:"table_size" jsonschema:"minimum=1,maximum=2147483647,description=Rows of each table"`
	PointSelects    int    `yaml:"point_selects" json:"point_selects" jsonschema:"minimum=0,maximum=10000,description=Selects of one row in a transaction"`
	RangeSelects    bool   `yaml:"range_selects" json:"range_selects" jsonschema:"description=Whether there are any range selects"`
	RangeSize       int64  `yaml:"range_size" json:"range_size" jsonschema:"minimum=1,maximum=2147483647,description=Rows of a range select"`
	SimpleRanges    int    `yaml:"simple_ranges" json:"simple_ranges" jsonschema:"minimum=0,maximum=10000,description=Range selects of c in a transaction"`
	SumRanges       int    `yaml:"sum_ranges" json:"sum_ranges" jsonschema:"minimum=0,maximum=10000,description=Range selects of the sum of k in a transaction"`
	OrderRanges     int    `yaml:"order_ranges" json:"order_ranges" jsonschema:"minimum=0,maximum=10000,description=Range selects of c in order in a transaction"`
	DistinctRanges  int    `yaml:"distinct_ranges" json:"distinct_ranges" jsonschema:"minimum=0,maximum=10000,description=Range selects of distinct c in a transaction"`
	IndexUpdates    int    `yaml:"index_updates" json:"index_updates" jsonschema:"minimum=0,maximum=10000,description=Updates of the indexed column k in a transaction"`
	NonIndexUpdates int    `yaml:"non_index_updates" json:"non_index_updates" jsonschema:"minimum=0,maximum=10000,description=Updates of c in a transaction"`
	DeleteInserts   int    `yaml:"delete_inserts" json:"delete_inserts" jsonschema:"minimum=0,maximum=10000,description=Rows deleted and inserted again in a transaction"`
	SkipTrx         bool   `yaml:"skip_trx" json:"skip_trx" jsonschema:"description=Whether each statement commits by itself"`
	CreateSecondary bool   `yaml:"create_secondary" json:"create_secondary" jsonschema:"description=Whether k has an index"`
	Reconnect       int    `yaml:"reconnect" json:"reconnect" jsonschema:"minimum=0,maximum=1073741824,description=Transactions after which a user connects again; 0 is never"`

	RandType       string  `yaml:"rand_type" json:"rand_type" jsonschema:"enum=uniform,enum=gaussian,enum=special,enum=pareto,enum=zipfian,description=How keys are distributed"`
	RandSpecIter   int     `yaml:"rand_spec_iter" json:"rand_spec_iter" jsonschema:"minimum=1,maximum=1000,description=Uniform numbers that a gaussian or special one is the mean of"`
	RandSpecPct    int     `yaml:"rand_spec_pct" json:"rand_spec_pct" jsonschema:"minimum=1,maximum=100,description=Width of the middle of a table where special keys lie in percent"`
	RandSpecRes    int     `yaml:"rand_spec_res" json:"rand_spec_res" jsonschema:"minimum=1,maximum=100,description=Share of keys that are special in percent"`
	RandParetoH    float64 `yaml:"rand_pareto_h" json:"rand_pareto_h" jsonschema:"exclusiveMinimum=0,exclusiveMaximum=0.5,description=Share of the keys that gets 1-h of the draws"`
	RandZipfianExp float64 `yaml:"rand_zipfian_exp" json:"rand_zipfian_exp" jsonschema:"exclusiveMinimum=0,maximum=10,description=Exponent of the zipfian distribution"`
}

// Modes: the names of sysbench's tests without their oltp_.
const (
	readWrite      = "read_write"
	readOnly       = "read_only"
	writeOnly      = "write_only"
	pointSelect    = "point_select"
	updateIndex    = "update_index"
	updateNonIndex = "update_non_index"
	insert         = "insert"
	deletion       = "delete"
)

func modes() []string {
	return []string{readWrite, readOnly, writeOnly, pointSelect, updateIndex, updateNonIndex, insert, deletion}
}

// defaults returns the defaults that `sysbench oltp_read_write help` and `sysbench --help`
// show. The exponent is sysbench 1.1's, the first version with that distribution.
func defaults() *Parameters {
	return &Parameters{
		Mode: readWrite, Tables: 1, TableSize: 10_000,
		PointSelects: 10, RangeSelects: true, RangeSize: 100, SimpleRanges: 1, SumRanges: 1, OrderRanges: 1, DistinctRanges: 1,
		IndexUpdates: 1, NonIndexUpdates: 1, DeleteInserts: 1, CreateSecondary: true,
		RandType: data.Special, RandSpecIter: 12, RandSpecPct: 1, RandSpecRes: 75, RandParetoH: 0.2, RandZipfianExp: 0.8,
	}
}

// Validate reports every impossible value. Keys are integers of four bytes on both engines, and a
// transaction of more statements than the bounds allow is something else.
func (p *Parameters) Validate() []describe.Problem {
	wrong := describe.Bounds(p)
	if slices.Contains(modes(), p.Mode) && len(p.steps()) == 0 {
		wrong.Add("mode", "found %s with a count of 0 for each of its statements, expected at least one statement", p.Mode)
	}
	return wrong
}

// steps of a transaction, in sysbench's order. In modes of one statement the
// counts mean nothing, as in sysbench.
func (p *Parameters) steps() []session.Step {
	reads := []session.Step{{Kind: session.PointSelect, Count: p.PointSelects}}
	if p.RangeSelects {
		reads = append(reads, session.Step{Kind: session.SimpleRange, Count: p.SimpleRanges},
			session.Step{Kind: session.SumRange, Count: p.SumRanges},
			session.Step{Kind: session.OrderRange, Count: p.OrderRanges},
			session.Step{Kind: session.DistinctRange, Count: p.DistinctRanges})
	}
	writes := []session.Step{
		{Kind: session.IndexUpdate, Count: p.IndexUpdates},
		{Kind: session.NonIndexUpdate, Count: p.NonIndexUpdates},
		{Kind: session.DeleteInsert, Count: p.DeleteInserts},
	}
	one := func(k session.Kind) []session.Step { return []session.Step{{Kind: k, Count: 1}} }
	steps := map[string][]session.Step{
		readWrite: append(slices.Clone(reads), writes...), readOnly: reads, writeOnly: writes,
		pointSelect: one(session.PointSelect), updateIndex: one(session.IndexUpdate), updateNonIndex: one(session.NonIndexUpdate),
		insert: one(session.Addition), deletion: one(session.Delete),
	}[p.Mode]
	return slices.DeleteFunc(steps, func(s session.Step) bool { return s.Count == 0 })
}

// explicit reports whether a transaction has BEGIN and COMMIT; a single
// statement never has, as in sysbench.
func (p *Parameters) explicit() bool {
	return !p.SkipTrx && slices.Contains([]string{readWrite, readOnly, writeOnly}, p.Mode)
}

func (p *Parameters) shape() data.Shape {
	return data.Shape{
		Type: p.RandType, Iterations: p.RandSpecIter, SpecialPercent: p.RandSpecPct, SpecialResult: p.RandSpecRes,
		ParetoH: p.RandParetoH, ZipfianExponent: p.RandZipfianExp,
	}
}

// keys is the distribution of valid parameters.
func (p *Parameters) keys() data.Distribution {
	d, _ := data.NewDistribution(p.shape(), p.TableSize) // Validate tells
	return d
}

func (p *Parameters) session() *session.Config {
	return &session.Config{
		Steps: p.steps(), Explicit: p.explicit(), Tables: p.Tables, TableSize: p.TableSize, RangeSize: p.RangeSize,
		Reconnect: p.Reconnect, Keys: p.keys(),
	}
}
