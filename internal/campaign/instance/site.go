package instance

import (
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
)

// webSites are somebody's. Only their addresses are known.
type webSites struct{ passiveFiller }

// describe implements filler.
func (webSites) describe(_ *Application, m facts.Role) ([]result.Server, []string) {
	return []result.Server{{Role: m.Name, Name: "web site", Source: "existing", Count: 1, Stateless: true}}, nil
}

// endpoint implements filler: how users reach a site.
func (webSites) endpoint(s *Server) endpoint.Endpoint {
	url, _ := study.ParseSite(s.i.App.Variant.Target[s.i.Number]) // the study was checked
	e := endpoint.Endpoint{Kind: endpoint.Site, Network: "tcp", Address: url.Address, Payload: endpoint.With(endpoint.Pages{Base: url.Path})}
	if url.Encrypted {
		e.Certificate = endpoint.SystemRoots
	}
	return e
}
