package medium

import (
	"cmp"
	"slices"
)

// layout maps bytes of a RAID set to drives. A row is one chunk of each drive; its data
// chunks are its columns. Parity rotates from row to row ("left-symmetric", the default of
// Linux's md).
type layout struct {
	level, drives int
	chunk         int64
	columns       int64 // data chunks of a row
}

func newLayout(r RAID) layout {
	parities := map[int]int{5: 1, 6: 2}[r.Level]
	columns := r.Drives - parities
	if r.Level == 10 {
		columns = r.Drives / 2
	}
	return layout{level: r.Level, drives: r.Drives, chunk: r.Chunk, columns: int64(columns)}
}

// row is how many bytes of data a row holds.
func (l layout) row() int64 { return l.columns * l.chunk }

// piece is a range within one chunk.
type piece struct {
	row, column int64
	from, to    int64 // within the chunk
}

// pieces cuts a range at the chunks.
func (l layout) pieces(from, to int64) []piece {
	var all []piece
	for at := from; at < to; {
		number := at / l.chunk
		end := min(to, (number+1)*l.chunk)
		all = append(all, piece{
			row: number / l.columns, column: number % l.columns,
			from: at - number*l.chunk, to: end - number*l.chunk,
		})
		at = end
	}
	return all
}

// drivesOf returns the drives that hold a column: two of a mirror, else one.
func (l layout) drivesOf(row, column int64) []int {
	n := int64(l.drives)
	switch l.level {
	case 5:
		return []int{int((l.firstParity(row) + 1 + column) % n)}
	case 6:
		return []int{int((l.firstParity(row) + 2 + column) % n)}
	case 10:
		return []int{int(2 * column), int(2*column + 1)}
	}
	return []int{int(column)}
}

// parityOf returns the drives that hold the parity of a row.
func (l layout) parityOf(row int64) []int {
	p := int(l.firstParity(row))
	switch l.level {
	case 5:
		return []int{p}
	case 6:
		return []int{p, (p + 1) % l.drives}
	}
	return nil
}

func (l layout) firstParity(row int64) int64 {
	n := int64(l.drives)
	return n - 1 - row%n
}

// share is a request to one drive.
type share struct {
	drive int
	r     Request
}

// at makes the request for a range of a row's chunk on a drive.
func (l layout) at(drive int, op Op, row, from, to int64) share {
	return share{drive: drive, r: Request{Op: op, Offset: row*l.chunk + from, Length: to - from}}
}

// merge joins requests that follow each other on a drive and drops doubles.
func merge(all []share) []share {
	slices.SortFunc(all, func(a, b share) int {
		return cmp.Or(cmp.Compare(a.drive, b.drive), cmp.Compare(a.r.Op, b.r.Op), cmp.Compare(a.r.Offset, b.r.Offset))
	})
	merged := all[:0]
	for _, s := range all {
		last := len(merged) - 1
		if last >= 0 && merged[last].drive == s.drive && merged[last].r.Op == s.r.Op && s.r.Offset <= merged[last].r.end() {
			merged[last].r.Length = max(merged[last].r.end(), s.r.end()) - merged[last].r.Offset
			continue
		}
		merged = append(merged, s)
	}
	return merged
}
