package platformtest

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/result"
)

// counter is a gauge that knows the address of the server that it asks.
type counter struct{ address string }

func (counter) Gauge() describe.Gauge { return describe.Gauge{Name: "workers"} }

func (c counter) Read(_ context.Context, e endpoint.Endpoint) (describe.Reading, error) {
	if e.Address != c.address {
		return describe.Reading{}, fmt.Errorf("asked %s instead of %s", e.Address, c.address)
	}
	return describe.Reading{Busy: 3, Capacity: 4, Waiting: 2}, nil
}

// RunObserved runs the tests of observing, which need tasks.
func (s Suite) RunObserved(t *testing.T) {
	t.Run("instances and tasks are observed", s.observed)
}

// asked is where a server is asked from here, which may not be where its users
// reach it.
func asked(proc platform.Process) string {
	if p, ok := proc.(interface{ Asked() endpoint.Endpoint }); ok {
		return p.Asked().Address
	}
	return proc.Endpoint().Address
}

// observe samples a server and tasks until enough was seen of them.
func observe(t *testing.T, p platform.Platform, proc platform.Process, enough func([]result.Series) bool, tasks ...platform.WatchedTask) platform.Observed {
	t.Helper()
	w := NewWatch()
	o, err := p.Observe(t.Context(), platform.Observation{
		Interval: 100 * time.Millisecond, Start: time.Now(), Tasks: tasks, Seen: w.Seen,
		Instances: func() []platform.WatchedInstance {
			return []platform.WatchedInstance{{Name: proc.Name(), Process: proc, Meter: counter{asked(proc)}}}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Until(t, enough)
	first, err := o.Stop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if again, err := o.Stop(t.Context()); err != nil || len(again.Series) != len(first.Series) {
		t.Errorf("a second Stop gives %d series instead of %d, %v", len(again.Series), len(first.Series), err)
	}
	checkPassedOn(t, w.All(), first.Series)
	return first
}

// checkPassedOn wants every value that Stop gives to have been passed on before, under the name of
// its machine.
func checkPassedOn(t *testing.T, passed, all []result.Series) {
	t.Helper()
	type value struct {
		machine, kind, name, metric string
		at                          int64
		value                       float64
	}
	known := map[value]bool{}
	for _, s := range passed {
		for n, at := range s.Times {
			known[value{s.Machine, s.Kind, s.Name, s.Metric, at, s.Values[n]}] = true
		}
	}
	for _, s := range all {
		for n, at := range s.Times {
			if v := s.Values[n]; !math.IsNaN(v) && !known[value{s.Machine, s.Kind, s.Name, s.Metric, at, v}] {
				t.Errorf("%s %s %s of %s: %g at %d ms was not passed on while it was observed", s.Kind, s.Name, s.Metric, s.Machine, v, at)
				return
			}
		}
	}
}

// positive reports whether some value is above zero.
func positive(values []float64) bool {
	return slices.ContainsFunc(values, func(v float64) bool { return v > 0 })
}

func (s Suite) observed(t *testing.T) {
	p, v := s.openWith(t, "watched")
	server := shell("watched", `touch "${VOLUME}/ready"; echo ${PORT}; while :; do :; done`, v)
	if v.Claim != "" {
		server.Ready = nil // its file is not here
	}
	proc := start(t, p, server, v)
	r := begin(t, p, "t1-driver-0", "linger", work{Records: 1})
	hearUntil(t, r, 1)
	all := observe(t, p, proc, func(all []result.Series) bool {
		return positive(Values(all, "instance", "watched", "cpu")) && positive(Values(all, "driver", "driver-0", "rss")) &&
			positive(Values(all, "gauge", "watched/workers", "waiting")) && len(Values(all, "cpu", "", "utilisation")) > 0
	}, platform.WatchedTask{Name: "driver-0", Task: r})
	for metric, want := range map[string]float64{"busy": 3, "capacity": 4, "waiting": 2} {
		if values := Values(all.Series, "gauge", "watched/workers", metric); !slices.Contains(values, want) {
			t.Errorf("%s by what the server counts is %v, not %v", metric, values, want)
		}
	}
	checkMachines(t, all)
}

// checkMachines wants every series to be of a machine that is listed, and a machine
// for what runs servers and for what drives them.
func checkMachines(t *testing.T, o platform.Observed) {
	t.Helper()
	for _, s := range o.Series {
		if !slices.ContainsFunc(o.Machines, func(h result.Host) bool { return h.Name == s.Machine }) {
			t.Errorf("%s %s %s is of machine %q, which is not among %v", s.Kind, s.Name, s.Metric, s.Machine, o.Machines)
		}
	}
	for _, role := range []string{result.ApplicationRole, result.DriverRole} {
		at := slices.IndexFunc(o.Machines, func(h result.Host) bool { return h.Is(role) })
		if at < 0 {
			t.Errorf("none of the machines %v has the role %s", o.Machines, role)
		} else if h := o.Machines[at]; h.Cores <= 0 || h.Memory <= 0 {
			t.Errorf("the size of %+v is not known", h)
		}
	}
}

func (s Suite) logs(t *testing.T) {
	p, v := s.openWith(t, "logs")
	before := time.Now().Add(-time.Second) // file systems count in ticks
	_, err := p.Start(t.Context(), shell("logs", `echo "no space left"; exit 7`, v), v)
	logs, listErr := p.Logs(t.Context(), before)
	if err == nil || listErr != nil || len(logs) != 1 || !strings.Contains(err.Error(), logs[0].Name) {
		t.Fatalf("the error %v does not name any of the logs %v (%v)", err, logs, listErr)
	}
	if text := readLog(t, logs[0]); !strings.Contains(text, "no space left") {
		t.Errorf("the log says %q", text)
	}
	if later, err := p.Logs(t.Context(), time.Now().Add(time.Hour)); len(later) != 0 || err != nil {
		t.Errorf("written to in the future: %v, %v", later, err)
	}
}

func readLog(t *testing.T, l platform.Log) string {
	t.Helper()
	r, err := l.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
