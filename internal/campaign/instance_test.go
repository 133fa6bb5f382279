package campaign

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/platform"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// someEngine is an engine for tests in which only the running server matters.
type someEngine struct{ app.Engine }

func (someEngine) Capabilities() app.Capabilities { return app.Capabilities{} }

// alone makes a trial consist of one application, as in a study without members.
func alone(t *trial, roles ...filledRole) *trial {
	if t.result == nil {
		t.result = &result.Tile{}
	}
	t.members = []*member{{t: t, variant: t.variant, roles: roles}}
	return t
}

// running is an instance of one server, of the first application of its trial.
func running(t *trial, number int, p platform.Process, v *storage.Volume) *instance {
	if len(t.members) == 0 {
		alone(t)
	}
	m := t.members[0]
	i := &instance{t: t, member: m, number: number, name: result.InstanceName(number)}
	m.instances = append(m.instances, i)
	i.servers = []*server{{
		filledRole: filledRole{role: workload.Role{Name: "db", Mounts: workload.Data(), Needed: workload.Always}, engine: someEngine{}, by: startedServers{}}.ready(),
		i:          i, name: "db-000", slot: "db-0", process: p,
	}}
	if v != nil {
		h := &serverVolume{slot: "db-0", volume: v}
		if len(t.storages) > 0 {
			h.storage = t.mainStorage()
		}
		i.servers[0].ownVolumes = []*serverVolume{h}
	}
	return i
}

func TestRolesStartAfterWhatTheyWaitFor(t *testing.T) {
	roles := []workload.Role{{Name: "web", After: []string{"app"}}, {Name: "app", After: []string{"db", "cache"}}, {Name: "cache"}, {Name: "db"}}
	sorted, err := inOrder(roles)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range sorted {
		names = append(names, r.Name)
	}
	if want := []string{"cache", "db", "app", "web"}; !slices.Equal(names, want) {
		t.Errorf("the order is %v, want %v", names, want)
	}
	for _, wrong := range [][]workload.Role{
		{{Name: "a", After: []string{"b"}}, {Name: "b", After: []string{"a"}}},
		{{Name: "a", After: []string{"nobody"}}},
	} {
		if _, err := inOrder(wrong); err == nil || !strings.Contains(err.Error(), "wait for") {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}

// What keeps data may stand behind what keeps none: that is then there while data are
// loaded and audited, too.
func TestWhatIsUsedIsNeededWithItsUsers(t *testing.T) {
	var all []filledRole
	for _, r := range []workload.Role{
		{Name: "balancer", Needed: workload.WhileDriven},
		{Name: "proxy", After: []string{"balancer"}, Needed: workload.WhileDriven},
		{Name: "db", After: []string{"proxy"}, Needed: workload.Always},
		{Name: "web", After: []string{"db"}, Needed: workload.WhileDriven},
	} {
		all = append(all, filledRole{role: r, by: startedServers{}}.ready())
	}
	for n, m := range spread(all) {
		if want := n < 3; m.need.Load != want || m.need.Audit != want || !m.need.Drive {
			t.Errorf("%s is needed %+v", m.role.Name, m.need)
		}
	}
}

// pool is an engine whose servers open connections of their own.
type pool struct{ app.Engine }

func (pool) Capabilities() app.Capabilities {
	return app.Capabilities{Connections: func(c app.Config) int { return c.Users / 2 }}
}

func TestPoolsCountAsTheirConnections(t *testing.T) {
	db := filledRole{role: workload.Role{Name: "db"}, engine: someEngine{}}
	php := filledRole{role: workload.Role{Name: "php", After: []string{"db"}}, engine: pool{}, spec: study.Engine{Count: 3}}
	v := study.Variant{Load: study.Load{Users: 8}}
	for want, all := range map[int][]filledRole{8: {db}, 12: {db, php}} {
		if got := connectionsFor(db, all, v); got != want {
			t.Errorf("%d roles: %d connections, want %d", len(all), got, want)
		}
	}
	if got := connectionsFor(php, []filledRole{db, php}, v); got != 8 {
		t.Errorf("a pool is used by %d", got)
	}
}

// A server without a volume runs on the node that its instance shares with its storage.
func TestServersWithoutAVolumeShareTheNode(t *testing.T) {
	node := map[string]string{"cpu": "/node1"}
	i := running(&trial{}, 0, nil, &storage.Volume{Path: "/data", Cgroups: node})
	web := &server{i: i, filledRole: filledRole{by: startedServers{}}}
	i.servers = append(i.servers, web)
	if v := web.home(); v.Path != "" || !maps.Equal(v.Cgroups, node) {
		t.Errorf("it runs on %+v", v)
	}
	if v := i.servers[0].home(); v.Path != "/data" {
		t.Errorf("the database runs on %+v", v)
	}
}
