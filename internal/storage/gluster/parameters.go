package gluster

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"plimsoll/internal/describe"
	"plimsoll/internal/host/simnet"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// Parameters configure a pool and the volumes on it.
type Parameters struct {
	Peers    int    `yaml:"peers,omitempty" json:"peers" jsonschema:"description=Storage servers; each has its own network and mount namespace,minimum=1,maximum=24"`
	Bricks   int    `yaml:"bricks,omitempty" json:"bricks" jsonschema:"description=Bricks of each peer,minimum=1,maximum=24"`
	Geometry string `yaml:"geometry,omitempty" json:"geometry" jsonschema:"description=Layout of volumes: distributed 3 or replica 3 or 2x3 or 4+2 or 2x(4+2)"`
	// Disk is the simulated disk behind each brick.
	Disk *disk.Parameters `yaml:"disk,omitempty" json:"disk,omitempty" jsonschema:"description=The simulated disk behind each brick; without it a brick is a directory below the work directory"`
	// CPU limits each peer: its management daemon and its bricks together.
	CPU unit.Cores `yaml:"cpu,omitempty" json:"cpu,omitempty" jsonschema:"description=CPU limit of each peer in cores; 0 for none,minimum=0"`
	// Memory limits each peer: its daemons and what the kernel caches of its bricks together.
	Memory unit.Bytes `yaml:"memory,omitempty" json:"memory,omitempty" jsonschema:"description=Memory limit of each peer: its daemons with the cache of their bricks (256MiB at least); 0 for none"`
	Link   string     `yaml:"link,omitempty" json:"link,omitempty" jsonschema:"description=Link rate of every host such as 1gbit or 10gbit"`
	// Access is how instances reach their volumes.
	Access string `yaml:"access,omitempty" json:"access,omitempty" jsonschema:"description=How instances reach volumes: the native client or NFS version 3 through NFS-Ganesha on a peer,enum=native,enum=nfs"`
	// MountOptions are the native client's.
	MountOptions map[string]string `yaml:"mount_options,omitempty" json:"mount_options,omitempty" jsonschema:"description=Options of the native client as in glusterfs(8) without the dashes such as attribute-timeout or reader-thread-count"`
	// Deployment decides whether instances share the peers' CPU and links.
	Deployment string            `yaml:"deployment,omitempty" json:"deployment,omitempty" jsonschema:"description=Coupled: instances and their clients share the peers' CPU limits and links. Decoupled: they have their own,enum=coupled,enum=decoupled"`
	Options    map[string]string `yaml:"options,omitempty" json:"options,omitempty" jsonschema:"description=Volume options as gluster volume set takes them"`
}

// multiplex is the option by which one process of a peer serves the bricks of
// all volumes.
const multiplex = "cluster.brick-multiplex"

// directIO are the options without which caches on the way flatter the results:
// direct I/O of a database must reach the bricks as direct I/O.
var directIO = map[string]string{
	"performance.strict-o-direct": "on",
	"network.remote-dio":          "disable",
}

// multiplexed decides whether to multiplex unless the study does. A peer with a volume for
// every instance then needs half the memory; it is the rule on container-native storage.
// But a process that gets two bricks of one volume lets glusterd wait: starting the volume
// takes 4 s instead of 0.4 s.
func (p *Parameters) multiplexed() string {
	if g, err := ParseGeometry(p.Geometry); err == nil && g.Bricks() > p.Peers {
		return "off"
	}
	return "on"
}

// ofThePool are the options that Gluster sets for all volumes at once.
var ofThePool = []string{
	multiplex, "cluster.max-bricks-per-process", "cluster.server-quorum-ratio", "cluster.daemon-log-level",
}

// options are all that are set, on the pool and on its volumes: ours unless the
// study sets them otherwise.
func (p *Parameters) options() map[string]string {
	all := maps.Clone(directIO)
	all[multiplex] = p.multiplexed()
	maps.Copy(all, p.Options)
	return all
}

// defaults are Gluster's own values of our options, which need not be set: each
// option that is takes seconds on a volume of 72 bricks.
var defaults = map[string]string{"network.remote-dio": "disable"}

// settings are the arguments of gluster volume set: names and values of the
// options that belong to the pool, or of those that belong to volumes.
func (p *Parameters) settings(pool bool) (arguments []string) {
	all := p.options()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if slices.Contains(ofThePool, name) == pool && all[name] != defaults[name] {
			arguments = append(arguments, name, all[name])
		}
	}
	return arguments
}

// mountOptions are the options of glusterfs(8) that change the speed of a
// mount, and not its place or contents.
var mountOptions = []string{
	"attribute-timeout", "auto-invalidation", "background-qlen", "congestion-threshold", "direct-io-mode",
	"entry-timeout", "event-history", "fopen-keep-cache", "gid-timeout", "kernel-writeback-cache", "lru-limit",
	"negative-timeout", "reader-thread-count", "use-readdirp",
}

var mountValue = regexp.MustCompile(`^[a-z0-9.]+$`)

func (p *Parameters) validateMount(bad func(field, format string, args ...any)) {
	if len(p.MountOptions) > 0 && p.Access == accessNFS {
		bad("mount_options", "they are the native client's, and access is %s", accessNFS)
	}
	for name, value := range p.MountOptions {
		if !slices.Contains(mountOptions, name) || !mountValue.MatchString(value) {
			bad("mount_options", "%q: %q is not supported; the options are %s", name, value, strings.Join(mountOptions, ", "))
		}
	}
}

// clientOptions are the flags of the native client.
func (p *Parameters) clientOptions() (flags []string) {
	for _, name := range slices.Sorted(maps.Keys(p.MountOptions)) {
		flags = append(flags, "--"+name+"="+p.MountOptions[name])
	}
	return flags
}

// runsPrograms are options whose values are programs that daemons run.
var runsPrograms = []string{"nfs.rpc-statd"}

var optionName = regexp.MustCompile(`^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+$`)

func (p *Parameters) validate() []describe.Problem {
	all := describe.Bounds(p)
	bad := all.Add
	if g, err := ParseGeometry(p.Geometry); err != nil {
		bad("geometry", "%v", err)
	} else if have := p.Peers * p.Bricks; have < g.Bricks() {
		bad("geometry", "%s needs %d bricks; %d peers with %d bricks each have %d", g, g.Bricks(), p.Peers, p.Bricks, have)
	}
	if p.Memory != 0 && p.Memory < leastPeer {
		bad("memory", "%s is less than the daemons of a peer need: write %s or more, or leave it out", p.Memory, unit.Bytes(leastPeer))
	}
	if p.Memory != 0 && p.Deployment == coupled {
		bad("memory", "instances of a coupled pool share the groups of the peers, so that the limit would end databases: leave memory out, or write deployment: %s", decoupled)
	}
	if p.Link != "" {
		if _, err := simnet.ParseRate(p.Link); err != nil {
			bad("link", "%v", err)
		}
	}
	if p.Access != accessNative && p.Access != accessNFS {
		bad("access", "unknown access %q: write %s or %s", p.Access, accessNative, accessNFS)
	}
	if p.Deployment != coupled && p.Deployment != decoupled {
		bad("deployment", "unknown deployment %q: write %s or %s", p.Deployment, coupled, decoupled)
	}
	for name, value := range p.Options {
		if study.Elsewhere(value) != "" || strings.HasPrefix(value, "--") || slices.Contains(runsPrograms, name) {
			bad("options", "%s = %s: the pool's daemons run as root, and a study may not name files of the machine, flags or programs", name, value)
		}
		if !optionName.MatchString(name) || strings.ContainsAny(value, "\n\x00") {
			bad("options", "%q is not the name of a volume option, such as performance.cache-size", name)
		}
	}
	p.validateMount(bad)
	if p.Disk != nil {
		for _, e := range (disk.Kind{}).Validate(p.Disk) {
			bad("disk."+e.Path, "%s", e.Text)
		}
	}
	return all
}
