package ceph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/storage"
)

// counters are the OSD counters to sample, by section. Their names vary between versions.
var counters = []struct {
	section, metric string
	as              storage.CountKind
	names           []string
}{
	{"osd", "reads", storage.Rate, []string{"op_r"}},
	{"osd", "writes", storage.Rate, []string{"op_w"}},
	{"osd", "replica_writes", storage.Rate, []string{"subop_w"}},
	{"osd", "read_latency", storage.Mean, []string{"op_r_latency"}},
	{"osd", "write_latency", storage.Mean, []string{"op_w_latency"}},
	{"osd", "replica_write_latency", storage.Mean, []string{"subop_w_latency"}},
	{"osd", "queue", storage.Level, []string{"op_wip"}},
	{"osd", "queue_latency", storage.Mean, []string{"op_before_dequeue_op_lat"}},
	{"osd", "recoveries", storage.Rate, []string{"recovery_ops"}},
	{"osd", "recovery_bytes", storage.Rate, []string{"recovery_bytes"}},
	{"bluestore", "commit_latency", storage.Mean, []string{"commit_lat", "txc_commit_lat"}},
	{"bluestore", "log_commit_latency", storage.Mean, []string{"kv_commit_lat"}},
}

// dump is an OSD's counters by section and name. The form of a value depends on the
// counter.
type dump map[string]map[string]json.RawMessage

// counts are the counters that are there in a form that is known. A counter that is not is
// left out.
func (d dump) counts() (all []storage.Count) {
	for _, c := range counters {
		for _, name := range c.names {
			if value, of, ok := number(d[c.section][name], c.as); ok {
				all = append(all, storage.Count{Metric: c.metric, As: c.as, Value: value, Of: of})
				break
			}
		}
	}
	return all
}

// number reads a counter: a sum of seconds with how many it is of, or a plain number.
func number(text json.RawMessage, as storage.CountKind) (value, of float64, ok bool) {
	if as == storage.Mean {
		var sum struct {
			Of  *float64 `json:"avgcount"`
			Sum *float64 `json:"sum"`
		}
		if json.Unmarshal(text, &sum) != nil || sum.Of == nil || sum.Sum == nil {
			return 0, 0, false
		}
		value, of = *sum.Sum, *sum.Of
	} else if text == nil || string(text) == "null" || json.Unmarshal(text, &value) != nil {
		return 0, 0, false
	}
	return value, of, value >= 0 && of >= 0 && !math.IsInf(value, 0)
}

// Meters are the OSDs that run and, while not all is well, the cluster. A status takes the
// processor time of a program, so that the cluster is not asked while all is well.
func (p *Pool) Meters() (all []storage.Meter) {
	for n := 1; n <= p.p.all(); n++ {
		if p.running(osdName(n)) {
			all = append(all, storage.Meter{Name: osdName(n), Read: func(ctx context.Context) ([]storage.Count, error) { return p.readOSD(ctx, n) }})
		}
	}
	if p.seen.isUnwell() {
		all = append(all, storage.Meter{Name: "cluster", Read: p.readCluster})
	}
	return all
}

// errCounters reports an OSD with no known counter.
var errCounters = errors.New("its counters have another form than in Ceph 16 to 19")

func (p *Pool) readOSD(ctx context.Context, n int) ([]storage.Count, error) {
	var d dump
	if err := p.ask(ctx, n, "perf dump", &d); err != nil {
		return nil, err
	}
	all := d.counts()
	if len(all) == 0 {
		return nil, errCounters
	}
	var scrubs struct {
		Local *float64 `json:"scrubs_local"`
	}
	if err := p.ask(ctx, n, "dump_scrub_reservations", &scrubs); err == nil && scrubs.Local != nil {
		all = append(all, storage.Count{Metric: "scrubs", Value: *scrubs.Local})
		p.seen.scrubs(osdName(n), *scrubs.Local > 0)
	}
	p.seen.recoveries(osdName(n), all)
	return all, nil
}

// askedEvery is how old a status may be that stands for the cluster's.
const askedEvery = 3 * time.Second

func (p *Pool) readCluster(ctx context.Context) ([]storage.Count, error) {
	s, fresh := p.seen.latest()
	if !fresh {
		var err error
		if s, err = p.status(ctx); err != nil {
			return nil, err
		}
	}
	return []storage.Count{
		{Metric: "degraded", Value: float64(s.PGMap.Degraded)}, {Metric: "misplaced", Value: float64(s.PGMap.Misplaced)},
		{Metric: "unclean", Value: float64(s.PGMap.PGs - s.groups(func(state string) bool { return slices.Contains(strings.Split(state, "+"), "clean") }))},
	}, nil
}

// groups counts the placement groups in some states.
func (s status) groups(of func(state string) bool) (n int) {
	for _, g := range s.PGMap.ByState {
		if of(g.Name) {
			n += g.Count
		}
	}
	return n
}

// troubles are what may be the matter with placement groups, in the order in which it is
// said, with the parts of states that say so.
var troubles = []struct {
	what string
	is   func(parts []string) bool
}{
	{"inactive", func(parts []string) bool { return !slices.Contains(parts, "active") }},
	{"degraded", func(parts []string) bool {
		return slices.Contains(parts, "degraded") || slices.Contains(parts, "undersized")
	}},
	{"misplaced", func(parts []string) bool { return slices.Contains(parts, "remapped") }},
	{"recovering", func(parts []string) bool {
		return slices.Contains(parts, "recovering") || slices.Contains(parts, "backfilling")
	}},
}

// matter is what of the troubles there is, and in how many placement groups.
func (s status) matter() map[string]int {
	found := map[string]int{}
	for _, t := range troubles {
		if n := s.groups(func(state string) bool { return t.is(strings.Split(state, "+")) }); n > 0 {
			found[t.what] = n
		}
	}
	return found
}

// text describes what changed from one matter to another; empty where nothing did.
func (s status) text(was, is map[string]int) string {
	var changed []string
	for _, t := range troubles {
		switch before, now := was[t.what] > 0, is[t.what] > 0; {
		case now && !before:
			changed = append(changed, fmt.Sprintf("%d %s", is[t.what], t.what))
		case before && !now:
			changed = append(changed, "none "+t.what+" any more")
		}
	}
	if len(changed) == 0 {
		return ""
	}
	objects := ""
	if s.PGMap.Degraded+s.PGMap.Misplaced > 0 {
		objects = fmt.Sprintf("; objects: %d degraded, %d misplaced", s.PGMap.Degraded, s.PGMap.Misplaced)
	}
	return fmt.Sprintf("placement groups, of %d: %s%s", s.PGMap.PGs, strings.Join(changed, ", "), objects)
}
