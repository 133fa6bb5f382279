package telemetry

import (
	"context"
	"fmt"
	"math"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/storage"
)

// meterMetrics are the quantities of a metersSource. Which of them a daemon has, its storage class says.
var meterMetrics = []Metric{
	{describe.DaemonKind, "reads", unitPerSec, "reads of clients that a storage daemon has answered, as it says itself: osd.0; an answer is that of a moment since the sample before"},
	{describe.DaemonKind, "writes", unitPerSec, "writes of clients that it has answered"},
	{describe.DaemonKind, "replica_writes", unitPerSec, "writes that it has done for another daemon"},
	{describe.DaemonKind, "read_latency", unitSeconds, "mean time of a read in it, waiting included; unknown without reads"},
	{describe.DaemonKind, "write_latency", unitSeconds, "mean time of a write in it, with those of the other copies"},
	{describe.DaemonKind, "replica_write_latency", unitSeconds, "mean time of a write for another daemon"},
	{describe.DaemonKind, "queue", unitShare, "requests of clients in it at the moment of the answer"},
	{describe.DaemonKind, "queue_latency", unitSeconds, "mean time that a request waited for one of its threads"},
	{describe.DaemonKind, "commit_latency", unitSeconds, "mean time until a transaction of its store was on the medium"},
	{describe.DaemonKind, "log_commit_latency", unitSeconds, "mean time in which its store's database was flushed"},
	{describe.DaemonKind, "recoveries", unitPerSec, "objects whose copying to where they belong began"},
	{describe.DaemonKind, "recovery_bytes", unitByteps, "bytes of that"},
	{describe.DaemonKind, "scrubs", unitShare, "checks of its copies that it leads at that moment"},
	{describe.DaemonKind, "degraded", unitShare, "objects of the cluster with fewer copies than there should be; only asked while not all is well"},
	{describe.DaemonKind, "misplaced", unitShare, "objects of the cluster that lie elsewhere than they should"},
	{describe.DaemonKind, "unclean", unitShare, "placement groups of the cluster that are not active and clean"},
}

// metersSource asks daemons of the storage for their counts, as gaugeSource asks servers.
type metersSource struct {
	book   *book
	files  *files
	list   func() []storage.Meter
	meters map[string]*meterSource
}

func newMetersSource(b *book, f *files, list func() []storage.Meter) source {
	return &metersSource{book: b, files: f, list: list, meters: map[string]*meterSource{}}
}

func (s *metersSource) sample(float64) {
	asked := map[string]bool{}
	for _, m := range s.list() {
		asked[m.Name] = true
		one := s.meters[m.Name]
		if one == nil {
			one = &meterSource{book: s.book, name: m.Name, answers: make(chan counted, 1), columns: map[string]*column{}}
			s.meters[m.Name] = one
		}
		one.take()
		one.ask(m)
	}
	for name, m := range s.meters {
		if !asked[name] { // it may come back
			m.take()
		}
	}
}

func (s *metersSource) close() {
	for _, m := range s.meters {
		if m.waiting {
			m.cancel()
			<-m.answers
		}
		if len(m.columns) == 0 && m.err != nil {
			s.files.silent = append(s.files.silent, fmt.Sprintf("what %s counts is not known: %v", m.name, m.err))
		}
	}
}

// meterSource asks one daemon.
type meterSource struct {
	book    *book
	name    string
	answers chan counted
	waiting bool // for an answer
	cancel  context.CancelFunc
	err     error // of the last question
	columns map[string]*column
	before  counted
}

type counted struct {
	counts []storage.Count
	at     time.Time
	err    error
}

// take writes the answer that has come since the sample before; without one nothing is known.
func (m *meterSource) take() {
	values := map[string]float64{}
	select {
	case a := <-m.answers:
		m.waiting = false
		m.cancel()
		if m.err = a.err; a.err == nil {
			values = a.since(m.before)
			m.before = a
		}
	default:
	}
	for metric := range values {
		if m.columns[metric] == nil {
			m.columns[metric] = m.book.column(describe.DaemonKind, m.name, metric)
		}
	}
	for metric, c := range m.columns {
		v, known := values[metric]
		if !known {
			v = math.NaN()
		}
		c.add(v)
	}
}

// ask puts the question unless the last one is still open.
func (m *meterSource) ask(of storage.Meter) {
	if m.waiting {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), readLimit)
	m.waiting, m.cancel = true, cancel
	go func() {
		counts, err := of.Read(ctx)
		m.answers <- counted{counts, time.Now(), err}
	}()
}

// since is the increase of the counts since an earlier answer. A sum that has decreased
// comes from a daemon that was restarted.
func (c counted) since(before counted) map[string]float64 {
	was := map[string]storage.Count{}
	for _, o := range before.counts {
		was[o.Metric] = o
	}
	values := map[string]float64{}
	for _, o := range c.counts {
		earlier, known := was[o.Metric]
		grown, of := o.Value-earlier.Value, o.Of-earlier.Of
		switch {
		case o.As == storage.Level:
			values[o.Metric] = o.Value
		case !known || grown < 0 || of < 0:
		case o.As == storage.Rate:
			values[o.Metric] = grown / c.at.Sub(before.at).Seconds()
		case of > 0:
			values[o.Metric] = grown / of
		}
	}
	return values
}
