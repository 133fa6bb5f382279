package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll/internal/describe"
	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// place says which variants do not fit on the nodes, server by server, and not only
// in sum, or break a rule of the platform. Variants that lack the same are named together.
func (p *Plan) place(m Machine) {
	for _, why := range m.Closed {
		p.problem(why, "make a node ready that takes pods of this system and architecture, or change platform.placement in the study (node_selector, tolerations)")
	}
	var lacking []string // as why and hint
	of := map[string][]string{}
	rung := p.largestRung()
	for _, v := range p.Variants {
		why := p.misfit(m, v, rung)
		if why == "" {
			continue
		}
		hint := "not even one instance fits: lower what servers and volumes ask for (cpu, memory, size), use a larger cluster, or have the rule changed that refuses it"
		if n := largest(rung, func(n int) bool { return p.misfit(m, v, n) == "" }); n > 0 {
			hint = fmt.Sprintf("%s: shorten the ladder, or lower what servers and volumes ask for (cpu, memory, size)", fits(n))
		}
		lack := why + "\x00" + hint
		if of[lack] == nil {
			lacking = append(lacking, lack)
		}
		of[lack] = append(of[lack], v.Name)
	}
	for _, lack := range lacking {
		why, hint, _ := strings.Cut(lack, "\x00")
		p.problem(fmt.Sprintf("rung %d of %s does not fit on %s: %s", rung, words.Join(of[lack]), m.Place(), why), hint)
	}
}

func fits(instances int) string {
	if instances == 1 {
		return "1 instance fits"
	}
	return fmt.Sprintf("%d instances fit", instances)
}

// misfit is why the servers of a rung find no place, or no permission; empty when they do. Servers that
// ask for most are placed first, each on the first node that takes it: for the few
// sizes that there are, a scheduler that spreads them does no better.
func (p *Plan) misfit(m Machine, v study.Variant, rung int) string {
	var all []provisionedServer
	for _, e := range p.tile(v, rung) {
		for range e.rung {
			for _, s := range e.facts.Servers {
				all = append(all, provisionedServer{s, e.facts.provisioners(s)})
			}
		}
	}
	if m.Refuses != nil {
		if why := m.Refuses(p.demand(v, rung)); why != "" {
			return why
		}
	}
	if !m.Placed || len(m.Nodes) == 0 && len(m.Closed) > 0 { // which says it already
		return ""
	}
	slices.SortStableFunc(all, func(a, b provisionedServer) int {
		return cmp.Or(cmp.Compare(b.MemoryBytes, a.MemoryBytes), cmp.Compare(b.MilliCPU, a.MilliCPU))
	})
	left := roomOn(m.Nodes)
	for n, s := range all {
		at := slices.IndexFunc(left, func(r room) bool { return r.takes(s) })
		if at < 0 {
			return fmt.Sprintf("its %s ask for up to %s each, and %d of them find room on its %s",
				words.Count(len(all), "server"), s.Server, n, words.Count(len(left), "node"))
		}
		left[at].put(s)
	}
	return ""
}

// provisionedServer is a server with the provisioner of each of its volumes.
type provisionedServer struct {
	Server
	by []string
}

// provisioners are who makes the volumes of a server.
func (f Facts) provisioners(s Server) (all []string) {
	for _, name := range s.Volumes {
		all = append(all, f.Storages[name].Provisioner)
	}
	return all
}

// room is what a node has left while servers are placed.
type room struct{ describe.Node }

func roomOn(nodes []describe.Node) []room {
	all := make([]room, len(nodes))
	for i, n := range nodes {
		n.Volumes = maps.Clone(n.Volumes)
		all[i] = room{n}
	}
	return all
}

func (r room) takes(s provisionedServer) bool {
	if r.MilliCPU < s.MilliCPU || r.MemoryBytes < s.MemoryBytes || r.Servers <= 0 {
		return false
	}
	need := map[string]int{}
	for _, by := range s.by {
		need[by]++
		if most, known := r.Volumes[by]; known && need[by] > most {
			return false
		}
	}
	return true
}

func (r *room) put(s provisionedServer) {
	r.MilliCPU -= s.MilliCPU
	r.MemoryBytes -= s.MemoryBytes
	r.Servers--
	for _, by := range s.by {
		if _, known := r.Volumes[by]; known {
			r.Volumes[by]--
		}
	}
}

// demand is what a trial of a rung asks of the platform.
func (p *Plan) demand(v study.Variant, rung int) describe.Demand {
	var all describe.Demand
	for _, e := range p.tile(v, rung) {
		all.Instances += e.rung
		all.Drivers += drivers(e.variant.Load, e.rung)
		each := e.claims()
		for range e.rung {
			for _, s := range e.facts.Servers {
				all.Servers = append(all.Servers, describe.Limits{CPU: float64(s.MostMilliCPU) / 1000, Memory: s.MostMemoryBytes})
			}
			all.Volumes = append(all.Volumes, each...)
		}
	}
	for _, of := range p.copies(func(of part) bool { return of.Provisioner != "" }) {
		all.Volumes = append(all.Volumes, of.claim())
	}
	return all
}

// claims are the volumes of an instance that are claimed.
func (e estimator) claims() (all []describe.ClaimedVolume) {
	for _, server := range e.facts.Servers {
		for _, name := range server.Volumes {
			if s := e.facts.Storages[name]; s.Provisioner != "" {
				all = append(all, s.claim())
			}
		}
	}
	return all
}

// claim is a volume that is claimed.
func (s StorageFacts) claim() describe.ClaimedVolume {
	return describe.ClaimedVolume{StorageClass: s.StorageClass, Bytes: s.ClaimBytes}
}

// String lists the CPU and memory that the server requests.
func (s Server) String() string {
	var parts []string
	if s.MilliCPU > 0 {
		parts = append(parts, cores(s.MilliCPU))
	}
	if s.MemoryBytes > 0 {
		parts = append(parts, rough(s.MemoryBytes))
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return words.Join(parts)
}

func cores(milli int64) string {
	return fmt.Sprintf("%g CPU", float64(milli)/1000)
}
