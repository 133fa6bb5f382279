package campaign

import (
	"fmt"
	"slices"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/result"
	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// notOurs describes the data behind existing web sites.
const notOurs = "what the sites of the target hold, which is neither prepared nor audited"

// webSites fills a role with existing web sites. Only their addresses are known: they
// are neither prepared nor audited.
type webSites struct {
	passiveFiller
	urls study.Target // by instance
}

// needed implements filler.
func (webSites) needed(workload.Role) workload.Presence { return workload.WhileDriven }

// unaudited implements filler.
func (webSites) unaudited() string { return "the site is not ours" }

// describe implements filler.
func (webSites) describe(_ *member, m filledRole) []result.Server {
	return []result.Server{{Role: m.role.Name, Name: "web site", Source: "existing", Count: 1, Stateless: true}}
}

// endpoint implements filler: how users reach a site.
func (f webSites) endpoint(s *server) endpoint.Endpoint {
	url, _ := study.ParseSite(f.urls[s.i.number]) // the study was checked
	e := endpoint.Endpoint{Kind: endpoint.Site, Network: "tcp", Address: url.Address, Payload: endpoint.With(endpoint.Pages{Base: url.Path})}
	if url.Encrypted {
		e.Certificate = endpoint.SystemRoots
	}
	return e
}

// ofSites is what every existing instance consists of as far as users see it.
func ofSites(v study.Variant, roles []workload.Role) (all []filledRole, err error) {
	for _, r := range roles {
		if slices.Contains(r.Kinds, endpoint.Site) {
			all = append(all, filledRole{role: r, kind: endpoint.Site, by: webSites{urls: v.Target}}.ready())
		}
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("workload %s with these parameters talks to %d web sites of an instance, and a target fills one", v.Workload.Name, len(all))
	}
	return all, nil
}
