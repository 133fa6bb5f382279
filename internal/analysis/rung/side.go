// This file sums what the machines on either side of the storage did at a rung.

package rung

import (
	"slices"
	"strings"

	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// Side sums up the machines on one side of the storage at a rung: counts are summed, shares
// averaged.
type Side struct {
	Side string `json:"side"` // servers, clients or machine
	// Values are by name: cpu, memory and disk_utilisation are shares; cores,
	// load, blocked; memory_bytes; receive_bytes, send_bytes, read_bytes and
	// write_bytes in bytes/s; await, the mean response time of the disks, s.
	Values map[string]float64 `json:"values"`
}

// Sides.
const (
	serverSide = "servers" // they hold the volumes
	clientSide = "clients" // they run the users, and the servers of applications
	bothSides  = "machine" // one machine, or each of several, is both
)

// SidesOf gives the median over the repetitions of what each side did.
func SidesOf(e *trust.Evidence, passed []*result.Trial) (all []Side) {
	values := map[string]map[string][]float64{}
	for _, t := range passed {
		for side, measured := range trialSides(e, t) {
			if values[side] == nil {
				values[side] = map[string][]float64{}
			}
			for name, v := range measured.values() {
				values[side][name] = append(values[side][name], v)
			}
		}
	}
	for _, side := range []string{serverSide, clientSide, bothSides} {
		if len(values[side]) == 0 {
			continue // nothing of it was measured
		}
		s := Side{Side: side, Values: map[string]float64{}}
		for name, list := range values[side] {
			s.Values[name] = stats.MedianOf(list)
		}
		all = append(all, s)
	}
	return all
}

// totals sums what the parts of a side did.
type totals struct {
	sum    map[string]float64
	shares map[string][]float64
	waited float64 // s a second that requests to disks took, waiting included
	served float64 // requests a second
}

func newTotals() *totals {
	return &totals{sum: map[string]float64{}, shares: map[string][]float64{}}
}

// add sums a metric under a name.
func (o *totals) add(as string, m trial.Metrics, kind, name, metric string) {
	if v, ok := m.Mean(kind, name, metric); ok {
		o.sum[as] += v
	}
}

// share averages a metric under a name.
func (o *totals) share(as string, m trial.Metrics, kind, name, metric string) {
	if v, ok := m.Mean(kind, name, metric); ok {
		o.shares[as] = append(o.shares[as], v)
	}
}

func (o *totals) values() map[string]float64 {
	all := map[string]float64{}
	for name, v := range o.sum {
		all[name] = v
	}
	for name, list := range o.shares {
		all[name] = stats.Mean(list)
	}
	if o.served > 0 {
		all["await"] = o.waited / o.served
	}
	return all
}

// sides are the totals of a trial by side.
type sides map[string]*totals

func (s sides) of(side string) *totals {
	if s[side] == nil {
		s[side] = newTotals()
	}
	return s[side]
}

// trialSides sums the machines of a trial by what they are there for. Of a machine
// that is both, the processes of either side are told apart as far as they were
// sampled.
func trialSides(e *trust.Evidence, t *result.Trial) sides {
	all := sides{}
	m := trial.MetricsOf(t)
	for _, h := range m.Hosts(t, e.Cores) {
		side := sideOf(h.Host)
		all.machine(side, h)
		if side == bothSides {
			all.processes(h)
		}
		all.disks(diskSide(side, h), h, t)
	}
	return all
}

// sideOf returns both for a machine of unknown role.
func sideOf(h result.Host) string {
	switch {
	case h.Only(result.StorageRole):
		return serverSide
	case len(h.Roles) > 0 && !h.Is(result.StorageRole):
		return clientSide
	}
	return bothSides
}

// machine adds what a whole machine did.
func (s sides) machine(side string, h trial.Host) {
	o := s.of(side)
	o.share("cpu", h.Metrics, describe.CPUKind, "", "utilisation")
	o.add("cores", h.Metrics, describe.CPUKind, "", "busy")
	o.add("load", h.Metrics, describe.MachineKind, "", "load")
	o.share("memory", h.Metrics, describe.MachineKind, "", "memory_utilisation")
	o.add("memory_bytes", h.Metrics, describe.MachineKind, "", "memory_used")
	o.add("blocked", h.Metrics, describe.MachineKind, "", "blocked")
	if side != bothSides { // on one machine nothing crosses the wire
		for _, name := range wires(h) {
			o.network(h, name)
		}
	}
}

func (o *totals) network(h trial.Host, name string) {
	o.add("receive_bytes", h.Metrics, describe.NetworkKind, name, "receive_bytes")
	o.add("send_bytes", h.Metrics, describe.NetworkKind, name, "send_bytes")
}

// wires are the interfaces of a machine that count what crosses the wire, once: the
// physical ones or, where none is known to be, all but the loopback.
func wires(h trial.Host) []string {
	own := slices.DeleteFunc(h.Names(describe.NetworkKind), func(name string) bool { return name == "lo" || strings.Contains(name, "/") })
	physical := slices.DeleteFunc(slices.Clone(own), func(name string) bool {
		_, known := h.Mean(describe.NetworkKind, name, "utilisation")
		return !known
	})
	if len(physical) > 0 {
		return physical
	}
	return own
}

// processes adds the storage servers that share a machine with their clients, and
// these.
func (s sides) processes(h trial.Host) {
	for _, name := range peers(h) {
		o := s.of(serverSide)
		o.group(h, describe.NodeKind, name)
		o.share("cpu", h.Metrics, describe.NodeKind, name, "cpu_utilisation")
		for _, iface := range h.Names(describe.NetworkKind) {
			if strings.HasPrefix(iface, name+"/") && iface != name+"/lo" {
				o.network(h, iface)
			}
		}
	}
	for _, kind := range []string{describe.DriverKind, describe.InstanceKind} {
		for _, name := range h.Names(kind) {
			s.of(clientSide).group(h, kind, name)
		}
	}
}

// group adds what the processes of a server or a client did.
func (o *totals) group(h trial.Host, kind, name string) {
	o.add("cores", h.Metrics, kind, name, "cpu")
	o.add("memory_bytes", h.Metrics, kind, name, "memory")
	o.add("blocked", h.Metrics, kind, name, "blocked")
}

// peers are the storage servers with a network of their own. Where there is none,
// what else runs for the storage, as a simulated medium, is a part of the machine.
func peers(h trial.Host) (names []string) {
	for _, name := range h.Names(describe.NodeKind) {
		if slices.ContainsFunc(h.Names(describe.NetworkKind), func(iface string) bool { return strings.HasPrefix(iface, name+"/") }) {
			names = append(names, name)
		}
	}
	return names
}

// diskSide is whose the disks of a machine are.
func diskSide(side string, h trial.Host) string {
	if side == bothSides && len(peers(h)) > 0 {
		return serverSide
	}
	return side
}

// disks adds the devices behind the volumes or, where none of a machine's is
// known to be one, all that it has.
func (s sides) disks(side string, h trial.Host, t *result.Trial) {
	o := s.of(side)
	for _, name := range disksOf(h, t) {
		o.add("read_bytes", h.Metrics, describe.DeviceKind, name, "read_bytes")
		o.add("write_bytes", h.Metrics, describe.DeviceKind, name, "write_bytes")
		o.share("disk_utilisation", h.Metrics, describe.DeviceKind, name, "utilisation")
		for _, way := range []struct{ requests, await string }{{"reads", "read_await"}, {"writes", "write_await"}} {
			requests, _ := h.Mean(describe.DeviceKind, name, way.requests)
			await, known := h.Mean(describe.DeviceKind, name, way.await)
			if known {
				o.served += requests
				o.waited += requests * await
			}
		}
	}
}

func disksOf(h trial.Host, t *result.Trial) []string {
	all := h.Names(describe.DeviceKind)
	data := slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		return !slices.ContainsFunc(t.Devices, func(d describe.Device) bool { return d.Name == name })
	})
	if len(data) > 0 {
		return data
	}
	return all
}
