package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
	"plimsoll/internal/result"
	"plimsoll/internal/workload/driver"
)

// operations are the operations of a shop.
func operations() []string { return []string{"order", "login", "browse", "purchase"} }

// shapes is how many different seconds there are of each operation.
const shapes = 16

// drive is a driver's task whose users do a unit of work a second each. It records every
// second of the measured phase at once.
func (s size) drive(_ context.Context, c task.Call) error {
	var j driver.Job
	if err := task.Decode(c.Spec, &j); err != nil {
		return err
	}
	each := int64(j.Users)
	units := each * int64(len(j.Targets))
	seconds, err := secondsOf(units)
	if err != nil {
		return err
	}
	own := result.Record{
		Kind: result.KindDriver, CPUUser: 0.1, CPUSystem: 0.1, RSS: 50e6, Users: int(units), Threads: 2,
		LateMax: 0.0012, LateMean: 0.00008, Units: map[int]int64{},
	}
	for _, t := range j.Targets {
		own.Units[t.Instance] = each
	}
	ofDriver, err := cut(own)
	if err != nil {
		return err
	}
	var line []byte
	for second := range s.seconds {
		for _, shape := range seconds[second%shapes] {
			line = shape.at(line, j.Name, second)
			if err := c.Out.Record(line); err != nil {
				return err
			}
		}
		line = ofDriver.at(line, j.Name, second)
		if err := c.Out.Record(line); err != nil {
			return err
		}
	}
	return s.sum(c, j, each)
}

// sum records what each instance did in the whole phase, and the end.
func (s size) sum(c task.Call, j driver.Job, each int64) error {
	count := each * int64(s.seconds)
	histogram, err := responses(rand.New(rand.NewPCG(1, 1)), count)
	if err != nil {
		return err
	}
	write := func(r result.Record) error {
		r.Driver, r.Second = j.Name, s.seconds-1
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		return c.Out.Record(line)
	}
	parts := map[string]result.PartRecord{}
	for _, name := range operations()[1:] {
		parts[name] = result.PartRecord{Count: count, Histogram: histogram}
	}
	for _, t := range j.Targets {
		r := &result.InstanceRecord{Instance: t.Instance, Count: count, Histogram: histogram, Operations: parts}
		if err := write(result.Record{Kind: result.KindInstance, Instance: r}); err != nil {
			return err
		}
	}
	return write(result.Record{Kind: result.KindEnd, At: j.Start.Add(j.Measure.D())})
}

// secondsOf are the records of operations of some different seconds with so many units.
func secondsOf(units int64) (all [shapes][]shape, err error) {
	r := rand.New(rand.NewPCG(2, 2))
	for n := range shapes {
		for _, name := range operations() {
			histogram, err := responses(r, units)
			if err != nil {
				return all, err
			}
			one, err := cut(result.Record{Kind: result.KindOperation, Phase: result.Measure, Operation: name, Count: units, Histogram: histogram})
			if err != nil {
				return all, err
			}
			all[n] = append(all[n], one)
		}
	}
	return all, nil
}

// responses is a histogram of so many response times, of a log-normal distribution around
// 20 ms.
func responses(r *rand.Rand, count int64) (string, error) {
	const median, spread, most = 0.02, 0.5, 20_000
	h := result.NewHistogram()
	drawn := min(count, most)
	for n := range drawn {
		times := count / drawn
		if n < count%drawn {
			times++
		}
		result.RecordTimes(h, median*math.Exp(spread*r.NormFloat64()), times)
	}
	return result.EncodeHistogram(h)
}

// shape is the line of a record but for its driver and second.
type shape struct{ before, between, after []byte }

func cut(r result.Record) (s shape, err error) {
	const driver, second = "whose", 987654321
	r.Driver, r.Second = driver, second
	r.Phase = result.Measure
	line, err := json.Marshal(r)
	if err != nil {
		return s, err
	}
	var rest []byte
	var named, dated bool
	s.before, rest, named = bytes.Cut(line, []byte(`"`+driver+`"`))
	s.between, s.after, dated = bytes.Cut(rest, []byte(strconv.Itoa(second)))
	if !named || !dated {
		return s, fmt.Errorf("a record without driver and second: %s", line)
	}
	return s, nil
}

// at writes the line of a driver's second into a buffer that is used again.
func (s shape) at(line []byte, driver string, second int) []byte {
	line = append(line[:0], s.before...)
	line = strconv.AppendQuote(line, driver)
	line = append(line, s.between...)
	line = strconv.AppendInt(line, int64(second), 10)
	return append(line, s.after...)
}

// kubeletInterval is how often a kubelet looks at its pods.
const kubeletInterval = 10 * time.Second

func nodeName(n int) string { return fmt.Sprintf("node-%04d", n) }

// Observe samples nodes and instances as kubelets do.
func (r *running) Observe(_ context.Context, o platform.Observation) (platform.Observer, error) {
	return observer{r.size, o}, nil
}

type observer struct {
	size  size
	about platform.Observation
}

// Stop makes up all that was seen.
func (o observer) Stop(context.Context) (seen platform.Observed, err error) {
	for n := range o.size.nodes {
		seen.Machines = append(seen.Machines, result.Host{
			Name: nodeName(n), Roles: []string{result.ApplicationRole, result.DriverRole}, Cores: 16, Memory: 64 << 30,
		})
		o.add(&seen, n, "cpu", "", "utilisation:1", "busy:cores")
		o.add(&seen, n, "machine", "", "memory_used:B", "memory_utilisation:1", "processes:1")
		o.add(&seen, n, "network", "eth0", "receive_bytes:B/s", "send_bytes:B/s")
		o.add(&seen, n, "device", "vda", "utilisation:1", "reads:IO/s", "writes:IO/s", "read_bytes:B/s", "write_bytes:B/s")
	}
	for n, i := range o.about.Instances() {
		o.add(&seen, n%o.size.nodes, "instance", i.Name, "cpu:cores", "memory:B", "rss:B", "read_bytes:B/s", "write_bytes:B/s", "processes:1")
	}
	return seen, nil
}

// add adds series of a thing on a node, each metric with its unit behind a colon.
func (o observer) add(seen *platform.Observed, node int, kind, name string, metrics ...string) {
	for _, m := range metrics {
		metric, unit, _ := strings.Cut(m, ":")
		s := result.Series{Machine: nodeName(node), Kind: kind, Name: name, Metric: metric, Unit: unit, Start: o.about.Start.UnixMilli()}
		step := int(kubeletInterval.Seconds())
		s.Times, s.Values = make([]int64, 0, o.size.seconds/step), make([]float64, 0, o.size.seconds/step)
		for second := step; second <= o.size.seconds; second += step {
			s.Times = append(s.Times, int64(second)*1000)
			s.Values = append(s.Values, 0.2+0.1*rand.Float64())
		}
		seen.Series = append(seen.Series, s)
	}
}
