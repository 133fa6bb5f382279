package plan

import (
	"fmt"
	"slices"

	"plimsoll/internal/study"
)

// Connections are what an existing server has left, and who uses them.
type Connections struct {
	Server    string `json:"server"`
	Free      int    `json:"free"`
	Slots     string `json:"slots"`     // how Free was found
	Instances []int  `json:"instances"` // whose databases are there
}

// Connect notes that an instance uses a server with so many connections left. A negative
// number is not known.
func (f *Facts) Connect(server string, free int, slots string, instance int) {
	if free < 0 && slots == "" {
		return
	}
	free = max(0, free)
	at := slices.IndexFunc(f.Connections, func(c Connections) bool { return c.Server == server })
	if at < 0 {
		f.Connections = append(f.Connections, Connections{server, free, slots, []int{instance}})
		return
	}
	c := &f.Connections[at]
	c.Instances = append(c.Instances, instance)
	if free < c.Free {
		c.Free, c.Slots = free, slots
	}
}

// connectionLimits returns the limits of the existing servers. Every user of an instance
// has a connection to its database, unless our own servers pool connections.
func (p *Plan) connectionLimits() (all []limit) {
	var servers []string
	for _, v := range p.Applications() {
		for _, c := range p.FactsOf(v).Connections {
			if !slices.Contains(servers, c.Server) {
				servers = append(servers, c.Server)
			}
		}
	}
	for _, server := range servers {
		of := func(v study.Variant) (c Connections) {
			for _, one := range v.Tile() {
				for _, c = range p.FactsOf(one).Connections {
					if c.Server == server {
						return c
					}
				}
			}
			return Connections{}
		}
		all = append(all, limit{
			has: func(v study.Variant) *int64 {
				c := of(v)
				if c.Server == "" { // it does not use this one
					return nil
				}
				return new(int64(c.Free))
			},
			need: func(v study.Variant, rung int) int64 {
				return total(p.tile(v, rung), func(e estimator) int64 { return e.connections(server) })
			},
			group: func(study.Variant) string { return "" },
			what: func(v study.Variant, rung int, need, has int64) string {
				return fmt.Sprintf("rung %d of %s needs %d connections to %s, which has %d left (%s)", rung, v.Name, need, server, has, of(v).Slots)
			},
			remedy: func(study.Variant) string { return "raise the limit of the server, or lower load.users" },
		})
	}
	return all
}

// connections is how many its instances have to a server.
func (e estimator) connections(server string) (n int64) {
	each := e.facts.Pooled
	if each == 0 {
		each = e.variant.Load.Users
	}
	for _, c := range e.facts.Connections {
		for _, i := range c.Instances {
			if c.Server == server && i < e.rung {
				n += int64(each)
			}
		}
	}
	return n
}
