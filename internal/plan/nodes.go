package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"plimsoll/internal/study"
	"plimsoll/internal/words"
)

// place says which variants do not fit on the nodes, server by server, and not only
// in sum.
func (p *Plan) place(m Machine) {
	rung := p.largestRung()
	for _, v := range p.Variants {
		why := p.misfit(m, v, rung)
		if why == "" {
			continue
		}
		hint := "not even one instance fits: lower the limits of the servers (cpu, memory), use a larger cluster, or have the quota raised, if one is exceeded"
		if n := largest(rung, func(n int) bool { return p.misfit(m, v, n) == "" }); n > 0 {
			hint = fmt.Sprintf("%s: shorten the ladder, or lower the limits of the servers (cpu, memory)", fits(n))
		}
		p.problem(fmt.Sprintf("rung %d of %s does not fit on %s: %s", rung, v.Name, m.where(), why), hint)
	}
}

func fits(instances int) string {
	if instances == 1 {
		return "1 instance fits"
	}
	return fmt.Sprintf("%d instances fit", instances)
}

// misfit is why the servers of a rung find no place; empty when they do. Servers that
// ask for most are placed first, each on the first node that takes it: for the few
// sizes that there are, a scheduler that spreads them does no better.
func (p *Plan) misfit(m Machine, v study.Variant, rung int) string {
	var all []provided
	for _, e := range p.tile(v, rung) {
		for range e.rung {
			for _, s := range e.facts.Servers {
				all = append(all, provided{s, e.facts.provisioners(s)})
			}
		}
	}
	if len(m.Nodes) == 0 || len(all) == 0 {
		return ""
	}
	if why := overQuota(m.Quota, all); why != "" {
		return why
	}
	slices.SortStableFunc(all, func(a, b provided) int {
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

// provided is a server whose volumes are made by provisioners, one for each volume.
type provided struct {
	Server
	by []string
}

// provisioners are who makes the volumes of a server.
func (f Facts) provisioners(s Server) (all []string) {
	if s.Volume {
		all = append(all, f.Provisioner)
	}
	for _, name := range s.Placed {
		all = append(all, f.Placed[name].Provisioner)
	}
	return all
}

// room is what a node has left while servers are placed.
type room struct{ Node }

func roomOn(nodes []Node) []room {
	all := make([]room, len(nodes))
	for i, n := range nodes {
		n.Volumes = maps.Clone(n.Volumes)
		all[i] = room{n}
	}
	return all
}

func (r room) takes(s provided) bool {
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

func (r *room) put(s provided) {
	r.MilliCPU -= s.MilliCPU
	r.MemoryBytes -= s.MemoryBytes
	r.Servers--
	for _, by := range s.by {
		if _, known := r.Volumes[by]; known {
			r.Volumes[by]--
		}
	}
}

// overQuota says what of a quota servers exceed together.
func overQuota(q *Node, all []provided) string {
	if q == nil {
		return ""
	}
	var need Server
	for _, s := range all {
		need.MilliCPU, need.MemoryBytes = sum(need.MilliCPU, s.MilliCPU), sum(need.MemoryBytes, s.MemoryBytes)
	}
	switch {
	case need.MilliCPU > q.MilliCPU:
		return fmt.Sprintf("its servers ask for %s, and the quota of the namespace has %s left", cores(need.MilliCPU), cores(q.MilliCPU))
	case need.MemoryBytes > q.MemoryBytes:
		return fmt.Sprintf("its servers ask for %s of memory, and the quota of the namespace has %s left", rough(need.MemoryBytes), rough(q.MemoryBytes))
	case len(all) > q.Servers:
		return fmt.Sprintf("it has %s, and the quota of the namespace has room for %s", words.Count(len(all), "server"), words.Count(q.Servers, "more pod"))
	}
	return ""
}

// String is what it asks for.
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
