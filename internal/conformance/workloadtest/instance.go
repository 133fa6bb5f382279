package workloadtest

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
	"plimsoll/internal/workload"
)

// Instance is what an environment has started for the roles of a workload.
type Instance struct {
	environment Environment
	platform    platform.Platform // nil without servers
	set         workload.Dataset
	parts       []*part
}

// part is what fills a role, or one of the servers that do.
type part struct {
	role     workload.Role
	server   app.Server
	config   app.Config
	volumes  []platform.Mounted // of the server, or the one that fills the role
	process  platform.Process   // nil without a server
	existing endpoint.Endpoint  // where there is no server
}

// Start starts a server on a volume of its own, in the way of the local platform, that
// fills a role and is ready for a data set.
func Start(t *testing.T, e app.Engine, role string, set workload.Dataset) *Instance {
	t.Helper()
	return Here(e).Start(t, []workload.Role{{Name: role, Kinds: []string{e.Kind()}, Mounts: workload.Data(), Needed: workload.Always}}, set)
}

// filled reports whether something fills a role.
func (i *Instance) filled(role string) bool {
	return slices.ContainsFunc(i.parts, func(p *part) bool { return p.role.Name == role })
}

// canStart reports whether a role is not filled yet, while those that it uses are.
func (i *Instance) canStart(r workload.Role) bool {
	return !i.filled(r.Name) && !slices.ContainsFunc(r.After, func(name string) bool { return !i.filled(name) })
}

// fill fills a role.
func (i *Instance) fill(t *testing.T, r workload.Role) {
	t.Helper()
	switch e := i.environment.engine(r); {
	case i.environment.Given != nil:
		i.parts = append(i.parts, &part{role: r, existing: i.environment.Given(t, r)})
	case e != nil:
		i.serve(t, e, r, nil)
	default:
		v := i.environment.Volume(t, nil, r.Name, r.Kinds[0])
		i.parts = append(i.parts, &part{role: r, volumes: []platform.Mounted{{Volume: v}}, existing: v.Endpoint()})
	}
}

// serve has servers of an engine fill a role, and gives the first of them: one, or several
// where they are siblings.
func (i *Instance) serve(t *testing.T, e app.Engine, r workload.Role, settings map[string]string) *part {
	t.Helper()
	in, err := e.Find(t.Context(), "", false)
	if err != nil {
		t.Fatalf("no installation to test with: %v", err)
	}
	i.havePlatform(t)
	var all []*part
	for len(all) < i.environment.serversOf(r) {
		all = append(all, i.part(t, r, numbered(r.Name, len(all)), settings))
	}
	if r.Siblings {
		i.introduce(t, e, in, all)
	}
	for _, p := range all {
		p.server = e.Server(in, p.config)
		if len(p.volumes) > 0 {
			i.layOut(t, e.Initialise(in, p.config), p.volumes)
		}
		i.start(t, p)
		i.parts = append(i.parts, p)
	}
	return all[0]
}

// siblings is how many servers a role has whose servers must know each other, unless the
// environment says so.
const siblings = 3

func (e Environment) serversOf(r workload.Role) int {
	if r.Siblings {
		return cmp.Or(e.Siblings, siblings)
	}
	return 1
}

// numbered is the name of a role's server; its first has the role's own.
func numbered(role string, n int) string {
	if n == 0 {
		return role
	}
	return fmt.Sprintf("%s-%d", role, n)
}

// part is a server of a role with its volumes, not started yet.
func (i *Instance) part(t *testing.T, r workload.Role, name string, settings map[string]string) *part {
	t.Helper()
	database, user := i.set.Login(r)
	p := &part{role: r, config: app.Config{
		Name: name, Users: 8, Settings: settings, Content: r.Content, Database: database,
		User: user, Password: "a password's \"quotes\"", AdminPassword: "the admin's", Peers: i.peers(r),
	}}
	for _, m := range r.Mounts {
		v := i.environment.Volume(t, i.platform, name+suffix(len(p.volumes), m), m.Kinds[0])
		p.volumes = append(p.volumes, platform.Mounted{Mount: m.Name, Volume: v})
		at := v.Endpoint()
		at.Role = m.Name
		p.config.Mounts = append(p.config.Mounts, at)
	}
	return p
}

// introduce reserves the addresses of siblings and gives all of them to each.
func (i *Instance) introduce(t *testing.T, e app.Engine, in app.Installation, all []*part) {
	t.Helper()
	var addresses []string
	for _, p := range all {
		at, err := i.platform.Address(t.Context(), e.Server(in, p.config))
		if err != nil {
			t.Fatalf("reserve an address for %s: %v", p.config.Name, err)
		}
		addresses = append(addresses, at)
	}
	for n, p := range all {
		p.config.Siblings, p.config.Self = addresses, n
	}
}

// layOut makes volumes ready for a server's first start.
func (i *Instance) layOut(t *testing.T, steps []app.Server, volumes []platform.Mounted) {
	t.Helper()
	for _, step := range steps {
		if err := i.platform.Run(t.Context(), step, volumes[0].Volume, volumes[1:]...); err != nil {
			t.Fatalf("initialise: %v", err)
		}
	}
}

// suffix parts the names of a server's volumes; its first has the server's own.
func suffix(n int, m describe.Mount) string {
	if n == 0 {
		return ""
	}
	return "-" + m.Name
}

// havePlatform makes the platform when the first server needs it.
func (i *Instance) havePlatform(t *testing.T) {
	t.Helper()
	if i.platform != nil {
		return
	}
	i.platform = i.environment.Platform(t)
	t.Cleanup(func() {
		if err := i.platform.Close(context.Background()); err != nil { // the test's own context has ended
			t.Errorf("close the platform: %v", err)
		}
	})
}

// peers are the endpoints of those that a role uses.
func (i *Instance) peers(r workload.Role) []endpoint.Endpoint {
	return slices.DeleteFunc(i.Target().Endpoints, func(e endpoint.Endpoint) bool { return !slices.Contains(r.After, e.Role) })
}

// start starts the server of a part on its volumes, if it has any.
func (i *Instance) start(t *testing.T, p *part) {
	t.Helper()
	var first storage.Volume
	var others []platform.Mounted
	if len(p.volumes) > 0 {
		first, others = p.volumes[0].Volume, p.volumes[1:]
	}
	process, err := i.platform.Start(t.Context(), p.server, first, others...)
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	p.process = process
}

// Add starts a server without a volume, such as a web server, which uses the servers
// of the instance that its role waits for. It ends with the test, too.
func (i *Instance) Add(t *testing.T, e app.Engine, role workload.Role, settings map[string]string) platform.Process {
	t.Helper()
	return i.serve(t, e, role, settings).process
}

// stateful are the servers that have volumes.
func (i *Instance) stateful() []*part {
	return slices.DeleteFunc(slices.Clone(i.parts), func(p *part) bool { return p.process == nil || len(p.volumes) == 0 })
}

// Kill kills the servers that keep data and waits for their ends.
func (i *Instance) Kill(t *testing.T) {
	t.Helper()
	kill(t, i.stateful())
}

// KillRole kills the servers of one role and waits for their ends.
func (i *Instance) KillRole(t *testing.T, role string) {
	t.Helper()
	kill(t, i.of(role))
}

func kill(t *testing.T, all []*part) {
	t.Helper()
	for _, p := range all {
		if err := p.process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-p.process.Done()
	}
}

// of are the servers of a role.
func (i *Instance) of(role string) []*part {
	return slices.DeleteFunc(slices.Clone(i.parts), func(p *part) bool { return p.process == nil || p.role.Name != role })
}

// RecoverRole starts the servers of a role after KillRole.
func (i *Instance) RecoverRole(t *testing.T, role string) {
	t.Helper()
	for _, p := range i.of(role) {
		i.start(t, p)
	}
}

// Recover starts the servers after Kill. They may answer elsewhere.
func (i *Instance) Recover(t *testing.T) {
	t.Helper()
	for _, p := range i.stateful() {
		i.start(t, p)
	}
}

// Restart stops the servers that keep data cleanly and starts them again.
func (i *Instance) Restart(t *testing.T) {
	t.Helper()
	for _, p := range i.stateful() {
		if err := p.process.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		i.start(t, p)
	}
}

// Volume is the first directory with its data, empty where there is none.
func (i *Instance) Volume() string {
	for _, p := range i.parts {
		for _, v := range p.volumes {
			if v.Volume.Path != "" {
				return v.Volume.Path
			}
		}
	}
	return ""
}

// Target is how users reach the instance.
func (i *Instance) Target() workload.Target {
	return i.target(func(p *part) (endpoint.Endpoint, bool) { return p.endpoint(), true })
}

// Admin is how the administrator reaches those that are needed for loading.
func (i *Instance) Admin() workload.Target {
	return i.target(func(p *part) (endpoint.Endpoint, bool) {
		if p.process == nil {
			return p.endpoint(), p.role.Needed.Load
		}
		return p.config.AsAdmin(p.endpoint()), p.role.Needed.Load
	})
}

func (i *Instance) target(reach func(p *part) (endpoint.Endpoint, bool)) workload.Target {
	to := workload.Target{Users: users, Foreign: i.environment.Given != nil}
	for _, p := range i.parts {
		if e, ok := reach(p); ok {
			e.Role = p.role.Name
			to.Endpoints = append(to.Endpoints, e)
		}
	}
	return to
}

func (p *part) endpoint() endpoint.Endpoint {
	if p.process != nil {
		return p.process.Endpoint()
	}
	return p.existing
}

// diskUse counts the allocated blocks of the volumes that are directories.
func (i *Instance) diskUse(t *testing.T) (total int64) {
	t.Helper()
	for _, p := range i.parts {
		for _, v := range p.volumes {
			total += blocks(t, v.Volume.Path)
		}
	}
	return total
}

func blocks(t *testing.T, dir string) (total int64) {
	t.Helper()
	if dir == "" {
		return 0
	}
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // files come and go under a running server
		}
		if info, err := d.Info(); err == nil {
			total += info.Sys().(*syscall.Stat_t).Blocks * 512 // stat(2): whatever the file system's are
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return total
}
