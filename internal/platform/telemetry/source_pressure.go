package telemetry

import (
	"bytes"

	"plimsoll/internal/describe"
)

// pressureMetrics are the quantities of a pressureSource.
var pressureMetrics = []Metric{
	{describe.PressureKind, "some", unitShare, "share of time in which some task waited for cpu, io or memory (/proc/pressure); that of a pod is named db-000/memory"},
	{describe.PressureKind, "full", unitShare, "share of time in which all tasks waited at once"},
}

// pressureSource samples /proc/pressure. Its totals are microseconds in which
// tasks were stalled (kernel documentation, accounting/psi).
type pressureSource struct {
	file       *file
	some, full stall
}

type stall struct {
	column *column
	total  counter
}

func newPressureSource(b *book, f *files, resource string) source {
	return &pressureSource{
		file: f.file("/proc/pressure/" + resource),
		some: stall{column: b.column(describe.PressureKind, resource, "some")},
		full: stall{column: b.column(describe.PressureKind, resource, "full")},
	}
}

func (s *pressureSource) close() { s.file.close() }

func (s *pressureSource) sample(elapsed float64) {
	some, rest := line(s.file.read())
	full, _ := line(rest)
	s.some.add(some, elapsed)
	s.full.add(full, elapsed)
}

func (s *stall) add(l []byte, elapsed float64) {
	const key = "total="
	at := bytes.LastIndex(l, []byte(key))
	if at < 0 {
		return
	}
	s.column.add(s.total.since(first(l[at+len(key):])) / 1e6 / elapsed)
}
