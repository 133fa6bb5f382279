package telemetry

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
)

// Config says what to sample. The functions are called at every sample, by
// one goroutine; they may be nil.
type Config struct {
	// Interval is the time between samples; 0 is one second.
	Interval time.Duration
	// Start is the common start of the drivers, which times count from.
	// Samples are taken at whole multiples of Interval from it.
	Start time.Time
	// Devices are the block devices behind the storage class. The machine's physical
	// devices are sampled too.
	Devices []describe.Device
	// Containers are the control groups over the run that limit all of it.
	Containers []Container
	// Nodes are the storage servers.
	Nodes func() []storage.Node
	// Meters are their daemons that count what they do.
	Meters func() []storage.Meter
	// Instances and Drivers are the groups of processes to watch.
	Instances func() []Watched
	Drivers   func() []Watched
	// Take, if not nil, gets the samples every few samples, and the rest at the end; Stop
	// then returns nothing. Each call has the samples since the previous call, without
	// unknown values.
	Take func([]result.Series)
	// Seen, where it is not nil, gets the known values of each sample as soon as it is
	// taken. They are kept for Stop all the same.
	Seen func([]result.Series)
}

// takeEvery is after how many samples Config.Take is called.
const takeEvery = 5

// Watched is a group of processes: an instance or a driver.
type Watched struct {
	Name string
	// PIDs are its processes; descendants are found by the sampler.
	PIDs func() []int
	// Cgroups maps a controller (or "" for v2) to the directory of its
	// cgroup, as platform.Process gives it.
	Cgroups map[string]string
	// Gauge reads a count that the server keeps of its own work; nil if it keeps none.
	Gauge *Gauge
	// Sessions opens a session of ours that lists what the server's other sessions do; nil if
	// the server does not list them.
	Sessions func(context.Context) (app.Sessions, error)
}

// Sampler takes samples until it is stopped.
type Sampler struct {
	cancel context.CancelFunc
	done   chan struct{}
	book   *book

	stop   sync.Once
	series []result.Series

	taken  int
	missed int
	notes  []string
}

// source is one place that samples come from. elapsed is the real time since
// the sample before, in seconds; 0 for the first one.
type source interface {
	sample(elapsed float64)
	close()
}

// Start begins to sample. What cannot be read on this machine is left out or
// NaN; it never fails. The sampler ends with Stop or ctx.
func Start(ctx context.Context, c Config) *Sampler {
	if c.Interval <= 0 {
		c.Interval = time.Second
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &Sampler{cancel: cancel, done: make(chan struct{}), book: newBook(c.Start.UnixMilli())}
	go s.run(ctx, c)
	return s
}

// Stop ends the sampling and gives the samples, sorted by kind, name and metric. Calling it
// again gives the same.
func (s *Sampler) Stop() []result.Series {
	s.stop.Do(func() {
		s.cancel()
		<-s.done
		s.series = s.book.all()
	})
	return s.series
}

// Notes says, after Stop, what a reader of the series must know: that the
// sampler fell behind, or could not read something.
func (s *Sampler) Notes() []string {
	s.Stop()
	notes := s.notes
	if s.missed > 0 {
		notes = append(notes, fmt.Sprintf("telemetry fell behind: %d of %d samples were missed; the next sample covers their time", s.missed, s.taken+s.missed))
	}
	return notes
}

func (s *Sampler) run(ctx context.Context, c Config) {
	defer close(s.done)
	// A thread of its own lets the sampler know what CPU it takes.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	files := newFiles()
	sources := newSources(s.book, files, c)
	defer func() {
		for _, source := range sources {
			source.close()
		}
		s.notes = files.notes()
	}()
	self := newSelfSource(s.book, files)
	defer self.close()
	if c.Take != nil {
		defer func() { c.Take(s.book.take()) }()
	}

	clock := newClock(c.Start, c.Interval)
	var before time.Time
	for clock.wait(ctx) {
		now := time.Now()
		elapsed := 0.0
		if !before.IsZero() {
			elapsed = now.Sub(before).Seconds()
		}
		before = now
		s.book.now = clock.at(now).Milliseconds()
		for _, source := range sources {
			source.sample(elapsed)
		}
		self.late = clock.late(now)
		self.took = time.Since(now)
		self.sample(elapsed)
		s.taken++
		if c.Seen != nil {
			c.Seen(s.book.latest())
		}
		if c.Take != nil && s.taken%takeEvery == 0 {
			c.Take(s.book.take())
		}
		s.missed += clock.next(time.Now())
	}
}
