package campaign

import (
	"context"
	"fmt"
	"slices"

	"plimsoll/internal/endpoint"

	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// notOurs describes the data behind somebody's web sites.
const notOurs = "what the sites of the target hold, which is neither prepared nor audited"

// foreign says that the variant's instances are somebody's web sites: nothing of
// them is prepared, started, stopped or audited.
func foreign(v study.Variant) bool { return len(v.Target) > 0 }

// ofSites is what every instance of somebody's consists of as far as users see it.
func ofSites(v study.Variant, roles []workload.Role) (all []member, err error) {
	for _, r := range roles {
		if slices.Contains(r.Kinds, endpoint.Site) {
			all = append(all, member{role: r, kind: endpoint.Site, sites: v.Target})
		}
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("workload %s with these parameters talks to %d web sites of an instance, and a target fills one", v.Workload.Name, len(all))
	}
	return all, nil
}

// siteEndpoint is how users reach a site.
func siteEndpoint(url string) endpoint.Endpoint {
	s, _ := study.ParseSite(url) // the study was checked
	e := endpoint.Endpoint{Kind: endpoint.Site, Network: "tcp", Address: s.Address, Payload: endpoint.With(endpoint.Pages{Base: s.Path})}
	if s.Encrypted {
		e.Certificate = endpoint.SystemRoots
	}
	return e
}

// provisionSites is provision where there is nothing to provide.
func (t *trial) provisionSites(ctx context.Context) (err error) {
	t.result.Dataset, t.result.Unaudited = notOurs, "the site is not ours"
	for i := range t.c.o.Plan.Study.Ladder.Instances(t.plan.Rung) {
		t.instances = append(t.instances, t.newInstance(i))
	}
	t.class, err = t.c.classes.get(ctx, t.variant)
	return err
}
