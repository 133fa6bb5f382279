package telemetry

import (
	"bytes"
	"math"
	"strconv"

	"plimsoll/internal/describe"
)

// loadMetrics are the quantities of a loadSource.
var loadMetrics = []Metric{
	{describe.MachineKind, "load", unitShare, "load average over one minute: threads running, ready to run or waiting for a device (/proc/loadavg)"},
}

// loadSource samples /proc/loadavg.
type loadSource struct {
	file *file
	load *column
}

func newLoadSource(b *book, f *files) source {
	return &loadSource{file: f.file("/proc/loadavg"), load: b.column(describe.MachineKind, "", "load")}
}

func (s *loadSource) close() { s.file.close() }

// sample takes the average over one minute, the first of the three.
func (s *loadSource) sample(float64) {
	average, _, _ := bytes.Cut(s.file.read(), []byte(" "))
	v, err := strconv.ParseFloat(string(average), 64)
	if err != nil {
		v = math.NaN()
	}
	s.load.add(v)
}
