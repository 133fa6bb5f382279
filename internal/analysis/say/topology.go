package say

import (
	"cmp"
	"slices"
	"strings"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/setup"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/text/words"
)

// driverPart is the users' side: who plays them, and how they act.
func driverPart(s *setup.Subject, t *result.Trial) []model.Part {
	load := t.Variant.Load
	if len(t.Drivers) == 0 && load.Users == 0 {
		return nil
	}
	p := model.Part{Stage: resource.DriverStage, Name: F("drivers")}
	if n := len(t.Drivers); n > 0 {
		p.Name = Count(n, "driver")
	}
	unit := t.Profile.Unit
	switch {
	case s.Study.Ladder.Of != "" && s.Study.Ladder.Of != "instances":
	case load.Rate > 0:
		p.Text = F("%s %s/s per %s", words.Figures(load.Rate), unit.Plural, Noun(s.Noun))
	case load.Users > 0:
		p.Text = F("%s per %s", Count(load.Users, cmp.Or(t.Profile.User, "user")), Noun(s.Noun))
	}
	if t.OpenLoop {
		p.Text = strings.Join(words.NonEmpty([]string{p.Text, F("open loop")}), ", ")
	}
	return []model.Part{p}
}

// roleParts are the servers of an instance; those that others ask start first, and
// stand last.
func roleParts(t *result.Trial) (all []model.Part) {
	for _, s := range slices.Backward(t.Servers) {
		var text []string
		if s.Name != "" {
			text = append(text, strings.TrimSpace(s.Name+" "+s.Version))
		}
		if s.Count > 1 {
			text = append(text, F("%d in each instance", s.Count))
		}
		if s.Limited && s.CPU > 0 {
			text = append(text, F("%s CPU", words.Figures(s.CPU)))
		}
		if s.Limited && s.Memory > 0 {
			text = append(text, words.Binary(s.Memory))
		}
		all = append(all, model.Part{Stage: resource.RoleStage, Name: s.Role, Text: strings.Join(text, ", ")})
	}
	return all
}

// storagePart is the storage servers, where there are any.
func storagePart(t *result.Trial) []model.Part {
	servers := storageServers(t)
	hosts := slices.DeleteFunc(slices.Clone(t.Machines), func(h result.Host) bool { return !h.Only(result.StorageRole) })
	n := max(len(servers), len(hosts))
	if n == 0 {
		return nil
	}
	where, together := "", n > 1 && onOneMachine(t)
	if together {
		where = F("all on one machine")
	}
	return []model.Part{{
		Stage: resource.StorageStage, Name: Count(n, "storage server"), Text: strings.Join(words.NonEmpty([]string{t.Storage().Class, protection(t), where}), ", "),
		Simulated: together || slices.ContainsFunc(hosts, func(h result.Host) bool { return h.Simulated }),
	}}
}

// onOneMachine reports whether the trial had but the campaign's own machine: several storage
// servers in it are network namespaces and processes that only pretend to be machines.
func onOneMachine(t *result.Trial) bool {
	return !slices.ContainsFunc(t.Machines, func(h result.Host) bool { return h.Name != result.LocalMachine })
}

// storageServers are the nodes that hold devices of the class, or have a limit of CPU.
// What simulates a server's disks is named after the server and does not count.
func storageServers(t *result.Trial) []string {
	m := trial.MetricsOf(t)
	nodes := m.Names(describe.NodeKind)
	owned := slices.ContainsFunc(t.Devices, func(d describe.Device) bool { return d.Owner != "" })
	return slices.DeleteFunc(slices.Clone(nodes), func(name string) bool {
		_, limited := m.Mean(describe.NodeKind, name, "cpu_limit")
		part := slices.ContainsFunc(nodes, func(other string) bool { return strings.HasSuffix(name, "-"+other) })
		return part || !owned && !limited
	})
}

func protection(t *result.Trial) string {
	if t.Storage().Protection == "none" {
		return ""
	}
	return t.Storage().Protection
}

// mediaPart is what the data lay on.
func mediaPart(t *result.Trial) []model.Part {
	d := t.Storage()
	name := cmp.Or(d.Media, t.Variant.StorageName, d.Class)
	if name == "" {
		return nil
	}
	var text []string
	if d.Drives > 1 {
		text = append(text, Count(d.Drives, "drive"))
	}
	if storagePart(t) == nil {
		text = append(text, protection(t))
	}
	if !strings.HasPrefix(d.FileSystem, "fuse.") {
		text = append(text, d.FileSystem)
	}
	return []model.Part{{Stage: resource.MediaStage, Name: name, Text: strings.Join(words.NonEmpty(text), ", "), Simulated: d.Simulated}}
}

// machineParts are what everything ran on: machines by what they are there for, or the
// campaign's own.
func machineParts(s *setup.Subject, t *result.Trial) (all []model.Part) {
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
		text := Count(m.Cores, "core") + ", " + words.Binary(m.MemoryBytes)
		all = append(all, model.Part{Stage: resource.MachineStage, Name: F("one machine"), Text: F("%s, shared by all of this", text)})
	}
	return all
}

// machinesAlike are those with the same roles.
func machinesAlike(roles string, hosts []result.Host) model.Part {
	p := model.Part{Stage: resource.MachineStage, Name: Count(len(hosts), "machine"), Text: roles, Simulated: hosts[0].Simulated}
	if cores := hosts[0].Cores; cores > 0 && !slices.ContainsFunc(hosts, func(h result.Host) bool { return h.Cores != cores }) {
		each := Count(int(cores), "core")
		if len(hosts) > 1 {
			each = F("%s each", each)
		}
		p.Text = strings.Join(words.NonEmpty([]string{p.Text, each}), ", ")
	}
	return p
}

// Parts are what the work of a trial passed on its way, in the order of the stages.
func Parts(s *setup.Subject, t *result.Trial) []model.Part {
	return slices.Concat(driverPart(s, t), roleParts(t), storagePart(t), mediaPart(t), machineParts(s, t))
}
