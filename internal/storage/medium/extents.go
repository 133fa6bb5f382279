package medium

import "slices"

// extent is a range of bytes that is in the cache and not yet on the medium.
// Age is the number of the write that it came with.
type extent struct {
	from, to int64
	age      uint64
}

// extents are disjoint and in the order of their places.
type extents []extent

// add inserts the parts of a range that are not in the set yet, and returns their size in
// bytes. Bytes already there keep their age: a flush that waits for the old bytes waits for
// their replacements.
func (e *extents) add(from, to int64, age uint64) (added int64) {
	var fresh []extent
	i := e.first(from)
	start := i
	for ; i < len(*e) && (*e)[i].from < to; i++ {
		if have := (*e)[i]; have.from > from {
			fresh = append(fresh, extent{from, have.from, age})
		}
		fresh = append(fresh, (*e)[i])
		from = max(from, (*e)[i].to)
	}
	if from < to {
		fresh = append(fresh, extent{from, to, age})
	}
	before := (*e)[start:i].bytes()
	added = extents(fresh).bytes() - before
	*e = slices.Replace(*e, start, i, fresh...)
	return added
}

// first is the index of the first extent that ends behind a place.
func (e extents) first(at int64) int {
	i, _ := slices.BinarySearchFunc(e, at, func(x extent, at int64) int {
		if x.to <= at {
			return -1
		}
		return 1
	})
	return i
}

func (e extents) bytes() (sum int64) {
	for _, x := range e {
		sum += x.to - x.from
	}
	return sum
}

// covers reports whether all of a range is there.
func (e extents) covers(from, to int64) bool {
	for i := e.first(from); i < len(e) && e[i].from <= from; i++ {
		from = e[i].to
		if from >= to {
			return true
		}
	}
	return false
}

// takeRun takes out the extent at an index and those that follow it without a
// gap, up to a number of bytes.
func (e *extents) takeRun(i int, limit int64) (from, to int64) {
	from, to = (*e)[i].from, (*e)[i].to
	last := i + 1
	for last < len(*e) && (*e)[last].from == to && (*e)[last].to-from <= limit {
		to = (*e)[last].to
		last++
	}
	*e = slices.Delete(*e, i, last)
	return from, to
}

// oldest reports whether any extent is as old as an age or older.
func (e extents) oldest(age uint64) bool {
	return slices.ContainsFunc(e, func(x extent) bool { return x.age <= age })
}
