package medium

// writeSteps plans the write of some pieces of one row. Without parity they
// are written. With it, a full row is written at once; else what parity is
// computed from has to be read first: either the old data and parity
// (read-modify-write) or the rest of the row (reconstruct-write), whichever is
// fewer reads and possible with the drives that live.
func (a *array) writeSteps(pieces []piece) [][]share {
	row := pieces[0].row
	parity := a.alive(a.parityOf(row))
	var writes []share
	for _, p := range pieces {
		for _, drive := range a.alive(a.drivesOf(row, p.column)) {
			writes = append(writes, a.at(drive, Write, row, p.from, p.to))
		}
	}
	if len(parity) == 0 {
		return [][]share{merge(writes)}
	}
	from, to := span(pieces)
	for _, drive := range parity {
		writes = append(writes, a.at(drive, Write, row, from, to))
	}
	return [][]share{merge(a.readsBefore(pieces, from, to, parity)), merge(writes)}
}

// span is the part of the chunks that the pieces touch together.
func span(pieces []piece) (from, to int64) {
	from, to = pieces[0].from, pieces[0].to
	for _, p := range pieces {
		from, to = min(from, p.from), max(to, p.to)
	}
	return from, to
}

// readsBefore is what new parity needs.
func (a *array) readsBefore(pieces []piece, from, to int64, parity []int) []share {
	row := pieces[0].row
	covered := map[int64]bool{} // columns that are written over the whole span
	touched := map[int64]bool{}
	for _, p := range pieces {
		touched[p.column] = true
		covered[p.column] = covered[p.column] || p.from <= from && p.to >= to
	}
	var modify, reconstruct []share
	canModify, canReconstruct := true, true
	for column := range a.columns {
		drives := a.alive(a.drivesOf(row, column))
		switch {
		case len(drives) == 0 && touched[column]:
			canModify = false
		case len(drives) == 0:
			canReconstruct = false
		}
		for _, drive := range drives {
			if touched[column] {
				modify = append(modify, a.at(drive, Read, row, from, to))
			}
			if !covered[column] {
				reconstruct = append(reconstruct, a.at(drive, Read, row, from, to))
			}
		}
	}
	for _, drive := range parity {
		modify = append(modify, a.at(drive, Read, row, from, to))
	}
	switch {
	case canReconstruct && (!canModify || len(reconstruct) <= len(modify)):
		return reconstruct
	case canModify:
		return modify
	}
	// One lost column is written and another is not: everything is needed.
	var all []share
	for _, drive := range a.sources(row) {
		all = append(all, a.at(drive, Read, row, from, to))
	}
	return all
}
