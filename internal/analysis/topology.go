package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll/internal/analysis/diagnose"
	"plimsoll/internal/analysis/loadline"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/words"
)

// topology describes what a variant's largest trial ran on.
func (s *subject) topology(v *Variant, trials []*result.Trial) *Topology {
	if len(trials) == 0 {
		return nil
	}
	t := s.Whole(slices.MaxFunc(trials, func(a, b *result.Trial) int { return cmp.Compare(a.Rung, b.Rung) }))
	out := &Topology{Parts: slices.Concat(s.driverPart(t), roleParts(t), storagePart(t), mediaPart(t), s.machineParts(t))}
	switch {
	case len(out.Parts) == 0:
		return nil
	case trial.Published(t):
		return out
	}
	out.Limit = givesOut(v, s.noun)
	r := loadline.Limiting(v.Rungs, v.LoadLine)
	if out.Limit == "" && r != nil && rung.Failing(r) {
		out.Limit = fmt.Sprintf("%s at %s", errorsText(v, r), words.Count(r.Instances, s.noun))
	}
	if r != nil && len(r.Resources) > 0 {
		if d := diagnose.Of(v.Rungs, v.LoadLine, r); d.Kind == diagnose.Saturated || d.Kind == diagnose.Neighbour {
			mark(out, d)
		}
	}
	return out
}

// driverPart is the users' side: who plays them, and how they act.
func (s *subject) driverPart(t *result.Trial) []Part {
	load := t.Variant.Load
	if len(t.Drivers) == 0 && load.Users == 0 {
		return nil
	}
	p := Part{Stage: resource.DriverStage, Name: "drivers"}
	if n := len(t.Drivers); n > 0 {
		p.Name = words.Count(n, "driver")
	}
	unit := t.Profile.Unit
	switch {
	case s.Study.Ladder.Of != "" && s.Study.Ladder.Of != "instances":
	case load.Rate > 0:
		p.Text = fmt.Sprintf("%s %s/s per %s", words.Figures(load.Rate), unit.Plural, s.noun)
	case load.Users > 0:
		p.Text = fmt.Sprintf("%s per %s", words.Count(load.Users, cmp.Or(t.Profile.User, "user")), s.noun)
	}
	if t.OpenLoop {
		p.Text = strings.TrimPrefix(p.Text+", open loop", ", ")
	}
	return []Part{p}
}

// roleParts are the servers of an instance; those that others ask start first, and
// stand last.
func roleParts(t *result.Trial) (all []Part) {
	for _, s := range slices.Backward(t.Servers) {
		var text []string
		if s.Name != "" {
			text = append(text, strings.TrimSpace(s.Name+" "+s.Version))
		}
		if s.Count > 1 {
			text = append(text, fmt.Sprintf("%d in each instance", s.Count))
		}
		if s.Limited && s.CPU > 0 {
			text = append(text, words.Figures(s.CPU)+" CPU")
		}
		if s.Limited && s.Memory > 0 {
			text = append(text, words.Binary(s.Memory))
		}
		all = append(all, Part{Stage: resource.RoleStage, Name: s.Role, Text: strings.Join(text, ", ")})
	}
	return all
}

// storagePart is the storage servers, where there are any.
func storagePart(t *result.Trial) []Part {
	servers := storageServers(t)
	hosts := slices.DeleteFunc(slices.Clone(t.Machines), func(h result.Host) bool { return !h.Only(result.StorageRole) })
	n := max(len(servers), len(hosts))
	if n == 0 {
		return nil
	}
	where, together := "", n > 1 && onOneMachine(t)
	if together {
		where = "all on one machine"
	}
	return []Part{{
		Stage: resource.StorageStage, Name: words.Count(n, "storage server"), Text: strings.Join(nonEmpty([]string{t.Storage.Class, protection(t), where}), ", "),
		Simulated: together || slices.ContainsFunc(hosts, func(h result.Host) bool { return h.Simulated }),
	}}
}

// onOneMachine says that the trial had but the campaign's own machine: several storage
// servers in it are network namespaces and processes that only pretend to be machines.
func onOneMachine(t *result.Trial) bool {
	return !slices.ContainsFunc(t.Machines, func(h result.Host) bool { return h.Name != result.LocalMachine })
}

// storageServers are the nodes that hold devices of the class, or have a limit of CPU.
// What simulates a server's disks is named after the server and does not count.
func storageServers(t *result.Trial) []string {
	m := trial.MetricsOf(t)
	nodes := m.Names("node")
	owned := slices.ContainsFunc(t.Devices, func(d describe.Device) bool { return d.Owner != "" })
	return slices.DeleteFunc(slices.Clone(nodes), func(name string) bool {
		_, limited := m.Mean("node", name, "cpu_limit")
		part := slices.ContainsFunc(nodes, func(other string) bool { return strings.HasSuffix(name, "-"+other) })
		return part || !owned && !limited
	})
}

func protection(t *result.Trial) string {
	if t.Storage.Protection == "none" {
		return ""
	}
	return t.Storage.Protection
}

// mediaPart is what the data lay on.
func mediaPart(t *result.Trial) []Part {
	d := t.Storage
	name := cmp.Or(d.Media, t.Variant.StorageName, d.Class)
	if name == "" {
		return nil
	}
	var text []string
	if d.Drives > 1 {
		text = append(text, words.Count(d.Drives, "drive"))
	}
	if storagePart(t) == nil {
		text = append(text, protection(t))
	}
	if !strings.HasPrefix(d.FileSystem, "fuse.") {
		text = append(text, d.FileSystem)
	}
	return []Part{{Stage: resource.MediaStage, Name: name, Text: strings.Join(nonEmpty(text), ", "), Simulated: d.Simulated}}
}

// machineParts are what everything ran on: machines by what they are there for, or the
// campaign's own.
func (s *subject) machineParts(t *result.Trial) (all []Part) {
	byRoles := map[string][]result.Host{}
	var order []string
	for _, h := range t.Machines {
		if h.Name == result.LocalMachine {
			continue
		}
		roles := strings.Join(h.Roles, ", ")
		if byRoles[roles] == nil {
			order = append(order, roles)
		}
		byRoles[roles] = append(byRoles[roles], h)
	}
	for _, roles := range order {
		all = append(all, machinesAlike(roles, byRoles[roles]))
	}
	if m := s.Run.Machine; len(all) == 0 && m != nil {
		text := words.Count(m.Cores, "core") + ", " + words.Binary(m.MemoryBytes)
		all = append(all, Part{Stage: resource.MachineStage, Name: "one machine", Text: text + ", shared by all of this"})
	}
	return all
}

// machinesAlike are those with the same roles.
func machinesAlike(roles string, hosts []result.Host) Part {
	p := Part{Stage: resource.MachineStage, Name: words.Count(len(hosts), "machine"), Text: roles, Simulated: hosts[0].Simulated}
	if cores := hosts[0].Cores; cores > 0 && !slices.ContainsFunc(hosts, func(h result.Host) bool { return h.Cores != cores }) {
		each := ""
		if len(hosts) > 1 {
			each = " each"
		}
		p.Text = strings.TrimPrefix(fmt.Sprintf("%s, %s%s", p.Text, words.CountOf(int(cores), "core", "cores"), each), ", ")
	}
	return p
}

// mark names the bottleneck at the part that it belongs to.
func mark(o *Topology, d diagnose.Diagnosis) {
	stage := d.Top.Stage()
	if d.Kind == diagnose.Neighbour {
		stage = resource.MachineStage
	}
	at := slices.IndexFunc(o.Parts, func(p Part) bool {
		return p.Stage == stage && (stage != resource.RoleStage || d.Top.Role == p.Name)
	})
	switch {
	case at < 0:
	case d.Kind == diagnose.Neighbour:
		o.Parts[at].Limit = "processes outside the trial"
	default:
		o.Parts[at].Limit = d.Top.Plain()
	}
}
