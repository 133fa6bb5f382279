package telemetry

import (
	"maps"

	"plimsoll/internal/describe"
	"plimsoll/internal/storage"
)

// nodeMetrics are the quantities of a groupSource of a storage server.
var nodeMetrics = append([]Metric{
	{describe.NodeKind, "cpu", unitCores, "CPU of a storage server's daemons"},
	{describe.NodeKind, "cpu_limit", unitCores, "its limit, where it has one"},
	{describe.NodeKind, "cpu_utilisation", unitShare, "cpu as a share of the limit"},
	{describe.NodeKind, "blocked", unitShare, "its threads that wait for a device (state D)"},
}, asOfInstances(describe.NodeKind)...)

// nodesSource follows the storage servers: their processes and, where they
// have a network namespace, its interfaces.
type nodesSource struct {
	book  *book
	files *files
	list  func() []storage.Node
	nodes map[string]*node
}

type node struct {
	cgroups map[string]string
	group   *groupSource
	network *networkSource // nil without a namespace of its own
}

func newNodesSource(b *book, f *files, list func() []storage.Node) source {
	return &nodesSource{book: b, files: f, list: list, nodes: map[string]*node{}}
}

func (s *nodesSource) close() {
	for _, n := range s.nodes {
		n.close()
	}
}

func (n *node) close() {
	n.group.close()
	if n.network != nil {
		n.network.close()
	}
}

func (s *nodesSource) sample(elapsed float64) {
	gone := maps.Clone(s.nodes)
	for _, stored := range s.list() {
		delete(gone, stored.Name)
		n := s.nodeOf(stored)
		n.group.family.roots = func() []int { return stored.PIDs }
		n.group.cpuLimit = stored.CPU
		n.group.sample(elapsed)
		s.sampleNetwork(n, stored, elapsed)
	}
	for name, n := range gone {
		n.close()
		delete(s.nodes, name)
	}
}

func (s *nodesSource) nodeOf(stored storage.Node) *node {
	n, ok := s.nodes[stored.Name]
	if ok && maps.Equal(n.cgroups, stored.Cgroups) {
		return n
	}
	if ok {
		n.close()
	}
	w := Watched{Name: stored.Name, Cgroups: stored.Cgroups}
	n = &node{cgroups: stored.Cgroups, group: newGroupSource(s.book, s.files, describe.NodeKind, w)}
	s.nodes[stored.Name] = n
	return n
}

// sampleNetwork reads through a process that lives in the namespace. The open
// file stays good after that process has ended.
func (s *nodesSource) sampleNetwork(n *node, stored storage.Node, elapsed float64) {
	if stored.Netns == "" {
		return
	}
	if n.network == nil {
		for _, pid := range stored.PIDs {
			if candidate := newNodeNetworkSource(s.book, s.files, stored.Name, pid); candidate.file.read() != nil {
				n.network = candidate
				break
			}
		}
	}
	if n.network != nil {
		n.network.sample(elapsed)
	}
}
