package telemetry

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// metered is a server without processes that has a gauge.
func metered(name string, read func(context.Context) (describe.Reading, error)) Watched {
	return Watched{Name: name, Gauge: &Gauge{Name: "workers", Read: read}}
}

func TestWhatServersCountIsSampled(t *testing.T) {
	workers := metered("php-000", func(context.Context) (describe.Reading, error) {
		return describe.Reading{Busy: 7, Capacity: 8, Waiting: 3}, nil
	})
	all := sampleUntil(t, Config{Instances: these(workers)}, "the gauge", func(all []result.Series) bool {
		return highest(find(all, "gauge", "php-000/workers", "busy")) == 7
	})
	if capacity, waiting := highest(find(all, "gauge", "php-000/workers", "capacity")), highest(find(all, "gauge", "php-000/workers", "waiting")); capacity != 8 || waiting != 3 {
		t.Errorf("%v workers, %v requests waiting", capacity, waiting)
	}
}

// What a balancer passes on to each server behind it is sampled by the second.
func TestWhatIsPassedOnIsSampled(t *testing.T) {
	began := time.Now()
	balancer := metered("balancer-000", func(context.Context) (describe.Reading, error) {
		since := time.Since(began).Seconds()
		return describe.Reading{Passed: []describe.Traffic{
			{To: "gateway-1", Requests: 100 * since, Bytes: 1e6 * since}, {To: "gateway-2", Requests: 7, Bytes: 7},
		}}, nil
	})
	all := sampleUntil(t, Config{Instances: these(balancer)}, "what is passed on", func(all []result.Series) bool {
		return highest(find(all, "gauge", "balancer-000/gateway-1", "requests")) > 0
	})
	if moved := highest(find(all, "gauge", "balancer-000/gateway-1", "bytes")); moved <= 0 {
		t.Errorf("%v bytes a second", moved)
	}
	if idle := highest(find(all, "gauge", "balancer-000/gateway-2", "requests")); idle != 0 {
		t.Errorf("%v requests a second to a server that gets none", idle)
	}
}

// A server that does not answer leaves a gap in its own series alone, delays no
// sample, is asked one question at a time, and holds nothing up at the end.
func TestAServerThatDoesNotAnswerHoldsNothingUp(t *testing.T) {
	var open, most atomic.Int64
	stuck := metered("php-000", func(ctx context.Context) (describe.Reading, error) {
		most.Store(max(most.Load(), open.Add(1)))
		defer open.Add(-1)
		<-ctx.Done()
		return describe.Reading{}, ctx.Err()
	})
	var k ticker
	s := Start(t.Context(), Config{Interval: 20 * time.Millisecond, Start: time.Now(), Instances: these(stuck), Drivers: k.drivers})
	k.wait(t, 5)
	if all := s.Stop(); len(find(all, "gauge", "php-000/workers", "busy").Values) != 0 {
		t.Error("a server that never answered has a series")
	}
	if most.Load() != 1 || open.Load() != 0 {
		t.Errorf("%d questions at once, %d open at the end", most.Load(), open.Load())
	}
}

func TestAServerThatCannotBeAskedIsNoted(t *testing.T) {
	refused := metered("php-000", func(context.Context) (describe.Reading, error) {
		return describe.Reading{}, errors.New("connection refused")
	})
	var k ticker
	s := Start(t.Context(), Config{Interval: 20 * time.Millisecond, Start: time.Now(), Instances: these(refused), Drivers: k.drivers})
	k.wait(t, 5)
	if notes := strings.Join(s.Notes(), "; "); !strings.Contains(notes, "php-000/workers are not known: connection refused") {
		t.Errorf("notes are %q", notes)
	}
}
