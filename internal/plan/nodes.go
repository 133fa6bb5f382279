package plan

import (
	"cmp"
	"fmt"
	"math"
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
	var all []Server
	for _, e := range p.tile(v, rung) {
		for range e.rung {
			all = append(all, e.facts.Servers...)
		}
	}
	if len(m.Nodes) == 0 || len(all) == 0 {
		return ""
	}
	if why := overQuota(m.Quota, all); why != "" {
		return why
	}
	slices.SortStableFunc(all, func(a, b Server) int {
		return cmp.Or(cmp.Compare(b.MemoryBytes, a.MemoryBytes), cmp.Compare(b.MilliCPU, a.MilliCPU))
	})
	left := roomOn(m.Nodes, p.FactsOf(v).Provisioner)
	for n, s := range all {
		at := slices.IndexFunc(left, func(r room) bool { return r.takes(s) })
		if at < 0 {
			return fmt.Sprintf("its %s ask for up to %s each, and %d of them find room on its %s",
				words.Count(len(all), "server"), s, n, words.Count(len(left), "node"))
		}
		left[at].put(s)
	}
	return ""
}

// room is what a node has left while servers are placed.
type room struct {
	Node
	volumes int // that it still takes
}

func roomOn(nodes []Node, provisioner string) []room {
	all := make([]room, len(nodes))
	for i, n := range nodes {
		most, known := n.Volumes[provisioner]
		if !known {
			most = math.MaxInt
		}
		all[i] = room{n, most}
	}
	return all
}

func (r room) takes(s Server) bool {
	return r.MilliCPU >= s.MilliCPU && r.MemoryBytes >= s.MemoryBytes && r.Servers > 0 && (!s.Volume || r.volumes > 0)
}

func (r *room) put(s Server) {
	r.MilliCPU -= s.MilliCPU
	r.MemoryBytes -= s.MemoryBytes
	r.Servers--
	if s.Volume {
		r.volumes--
	}
}

// overQuota says what of a quota servers exceed together.
func overQuota(q *Node, all []Server) string {
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
