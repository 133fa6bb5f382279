package study

import (
	"fmt"
	"slices"
)

// deployments are all that there are, in the order of messages.
var deployments = []string{string(Bare), string(Container), string(VM)}

// deployment refuses one that there is not, and one of servers that are not
// started or not there.
func (c *checker) deployment(v Variant, path string) {
	if v.Deployment == "" {
		return
	}
	if !slices.Contains(deployments, string(v.Deployment)) {
		c.near(c.root.at(path), path, fmt.Sprintf("unknown deployment %q", v.Deployment), string(v.Deployment), deployments)
		return
	}
	kind, known := c.vocabulary.Workloads[v.Workload.Name]
	if v.Deployment == Bare || !known || kind.Roles == nil || v.Workload.Parameters == nil {
		return
	}
	needed := kind.roles(v.Workload.Parameters, v.names)
	if len(needed) == 0 {
		c.wrong(path, fmt.Sprintf("workload %s works on volumes and has no servers to deploy as %s", v.Workload.Name, v.Deployment), string(Bare))
	}
	for _, r := range needed {
		if v.Server(r.Name).Existing != nil {
			c.wrong(path, fmt.Sprintf("the server of role %s is an existing one, which is deployed already", r.Name), string(Bare))
		}
	}
}
