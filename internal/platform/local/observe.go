package local

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"plimsoll/internal/host/cgroup"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/machine"
	"plimsoll/internal/platform/telemetry"
	"plimsoll/internal/platform/telemetry/prometheus"
	"plimsoll/internal/result"
)

// Observe samples this machine.
func (l *Local) Observe(ctx context.Context, o platform.Observation) (platform.Observer, error) {
	tasks := make([]telemetry.Watched, len(o.Tasks))
	for n, t := range o.Tasks {
		r, ok := t.Task.(*running)
		if !ok {
			return nil, fmt.Errorf("observe %s: it is no task of this platform", t.Name)
		}
		tasks[n] = telemetry.Watched{Name: t.Name, PIDs: func() []int { return []int{r.cmd.Process.Pid} }}
	}
	config := telemetry.Config{
		Interval: o.Interval, Start: o.Start, Devices: o.Devices, Nodes: o.Nodes, Meters: o.Meters,
		Drivers: func() []telemetry.Watched { return tasks }, Containers: containersOver(cgroup.Bounds()),
	}
	if o.Instances != nil {
		config.Instances = func() []telemetry.Watched { return watched(o.Instances()) }
	}
	if o.Seen != nil {
		config.Seen = func(some []result.Series) { o.Seen(ofThisMachine(some)) }
	}
	return &observer{sampler: telemetry.Start(ctx, config), strangers: l.watchStrangers(ctx, o.Instances), prometheus: l.prometheus, start: o.Start}, nil
}

// containersOver are the control groups that bound this process, and so the run.
func containersOver(bounds []cgroup.Bound) (all []telemetry.Container) {
	for _, b := range bounds {
		at := slices.IndexFunc(all, func(c telemetry.Container) bool { return c.Name == b.Group })
		if at < 0 {
			at = len(all)
			all = append(all, telemetry.Container{Name: b.Group, Cgroups: map[string]string{}})
		}
		maps.Copy(all[at].Cgroups, b.Directories())
		switch b.Of {
		case cgroup.CPU:
			all[at].CPU = b.Limit
		case cgroup.Memory:
			all[at].Memory = b.Limit
		case cgroup.Tasks:
			all[at].Tasks = b.Limit
		}
	}
	return all
}

// ofThisMachine writes the name of the machine into series.
func ofThisMachine(series []result.Series) []result.Series {
	for n := range series {
		series[n].Machine = result.LocalMachine
	}
	return series
}

// watched looks into the processes of this platform; it knows of no others.
func watched(instances []platform.WatchedInstance) []telemetry.Watched {
	var all []telemetry.Watched
	for _, i := range instances {
		switch p, ok := i.Process.(*process); {
		case ok:
			all = append(all, telemetry.Watched{Name: i.Name, Cgroups: p.Cgroups(), PIDs: p.PIDs, Gauge: telemetry.GaugeOf(i.Meter, p.Asked), Sessions: i.SessionsAt(p.Asked)})
		case i.Process == nil:
			all = append(all, telemetry.Watched{Name: i.Name, Sessions: i.SessionsAt(nil)})
		}
	}
	return all
}

// observer watches this machine, and asks an existing Prometheus where the study names one.
type observer struct {
	sampler    *telemetry.Sampler
	strangers  *strangers
	prometheus *prometheus.Parameters
	start      time.Time

	once sync.Once
	seen platform.Observed
}

// Stop gives the samples, and the series of the Prometheus for the same time.
func (o *observer) Stop(ctx context.Context) (platform.Observed, error) {
	o.once.Do(func() {
		own := ofThisMachine(o.sampler.Stop())
		o.seen = platform.Observed{Machines: []result.Host{thisMachine()}, Series: own, Notes: append(o.sampler.Notes(), o.strangers.end()...)}
		if o.prometheus == nil {
			return
		}
		asked := prometheus.Read(ctx, *o.prometheus, prometheus.Span{From: o.start, To: time.Now(), Start: o.start, Own: namesOfThisMachine()})
		o.seen.Series = telemetry.Join(own, asked.Series)
		o.seen.Notes = append(o.seen.Notes, asked.Notes...)
		for _, h := range asked.Machines {
			if h.Name != result.LocalMachine {
				o.seen.Machines = append(o.seen.Machines, h)
			}
		}
	})
	return o.seen, nil
}

// namesOfThisMachine are what a Prometheus may call it: its name and its addresses.
func namesOfThisMachine() map[string]string {
	all := map[string]string{"localhost": result.LocalMachine, "127.0.0.1": result.LocalMachine, "::1": result.LocalMachine}
	if name, err := os.Hostname(); err == nil {
		all[name] = result.LocalMachine
	}
	addresses, _ := net.InterfaceAddrs() // those that are known
	for _, a := range addresses {
		if network, is := a.(*net.IPNet); is {
			all[network.IP.String()] = result.LocalMachine
		}
	}
	return all
}

// thisMachine is there for everything. A storage server that runs on it is a
// group of its processes, even where it has a network namespace of its own.
func thisMachine() result.Host {
	return result.Host{
		Name: result.LocalMachine, Roles: []string{result.ApplicationRole, result.DriverRole, result.StorageRole},
		Cores: float64(machine.Cores()), Memory: machine.Memory(), Limits: machine.Limits(),
	}
}
