package dvdstore

import "plimsoll/internal/workload/dvdstore/data"

// table is how one engine keeps one table.
type table struct {
	name string
	// rows says which rows are loaded into it, when loaded is set.
	rows   data.Table
	loaded bool
	// space is the size of the rows of one key with their indices, in bytes, as measured
	// with data sets of 100MB and 300MB (of 10MB and 30MB for the tables of version 3).
	space int64
	// fixed is what the table takes besides, however few its rows are.
	fixed int64
	// unkeyed reports that it has no primary key, which is the original's way.
	unkeyed bool
	// create makes the bare table; load runs after it, into the empty table.
	create string
	// indexes are made once all rows are there, when they can be sorted.
	indexes []string
	// references need the indices of other tables, too.
	references []string
	// finish brings statistics and counters up to date.
	finish []string
}
