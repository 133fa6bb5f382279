package campaign

import (
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
)

// borrowedServers fills a role with servers that run already: they are claimed, prepared,
// driven, audited and given back, but neither started nor stopped.
type borrowedServers struct{ passiveFiller }

// clones implements filler: data are loaded into each.
func (borrowedServers) clones() bool { return false }

// describe implements filler.
func (borrowedServers) describe(_ *member, m filledRole) []result.Server {
	s := m.described()
	s.Source = "existing"
	return []result.Server{s}
}

// plan implements filler: the servers are asked, if the engine may be used.
func (borrowedServers) plan(d describer, m filledRole, among []filledRole, v study.Variant, facts *plan.Facts) error {
	facts.Pooled = pooledOf(m, among, v)
	if not := d.forbidden(m); len(not) > 0 {
		facts.Problems = append(facts.Problems, not...)
		return nil
	}
	d.askBorrowed(m, v, facts)
	return nil
}

// endpoint implements filler: its user may make tables.
func (borrowedServers) endpoint(s *server) endpoint.Endpoint {
	return borrowedEndpoint(*s.spec.Existing, s.i.number, s.i.member.golden.borrowed[s.role.Name])
}

// borrowed implements filler: a database.
func (borrowedServers) borrowed(s *server) []job.EngineCheck {
	if !s.need.Load {
		return nil
	}
	return []job.EngineCheck{{Engine: s.spec.Name, Endpoint: s.endpoint(), TakeOver: s.spec.Existing.TakeOver}}
}
