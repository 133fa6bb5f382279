package smallfiles

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// BenchmarkUnit is what a unit of work takes, and how often memory is allocated for
// it, with empty files, so that little but the calls is left.
func BenchmarkUnit(b *testing.B) {
	for _, size := range []unit.Bytes{0, 32 << 10} {
		for _, operation := range append(verbs(), mixed) {
			b.Run(fmt.Sprintf("%s/%s", operation, size), func(b *testing.B) {
				p := defaults()
				p.Operation, p.Work, p.FileSize = operation, timed, size
				benchmark(b, p)
			})
		}
	}
}

func benchmark(b *testing.B, p *Parameters) {
	t := workload.Target{Users: 1, Endpoints: []endpoint.Endpoint{endpoint.OfDirectory(fileio.VolumeRole, b.TempDir())}}
	if err := (Workload{}).Prepare(b.Context(), t, p, 1, func(float64) {}); err != nil {
		b.Fatal(err)
	}
	s, err := Workload{}.Open(b.Context(), t, p, 0, 1)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	s.(workload.PacedSession).Pace(always{})
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Do(b.Context(), nothing{}); err != nil && !errors.Is(err, workload.ErrFinished) {
			b.Fatal(err)
		}
	}
}

type always struct{}

func (always) Next() (time.Time, bool) { return time.Time{}, true }

// nothing records nothing.
type nothing struct{}

func (nothing) Observe(int, time.Time, time.Duration, workload.Outcome) {}
func (nothing) Moved(int, int64)                                        {}
func (nothing) Spent(int, describe.Effort)                              {}
func (nothing) Receipt([]byte)                                          {}
