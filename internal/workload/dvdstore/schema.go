package dvdstore

import "plimsoll/internal/workload/dvdstore/data"

// table is how one engine keeps one table.
type table struct {
	name string
	// rows says which rows are loaded into it, when loaded is set.
	rows   data.Table
	loaded bool
	// create makes the bare table; load runs after it, into the empty table.
	create string
	// indexes are made once all rows are there, when they can be sorted.
	indexes []string
	// references need the indices of other tables, too.
	references []string
	// finish brings statistics and counters up to date.
	finish []string
}
