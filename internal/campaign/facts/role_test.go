package facts

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// someEngine is an engine for tests in which only that there is one matters.
type someEngine struct{ app.Engine }

func (someEngine) Capabilities() app.Capabilities { return app.Capabilities{} }

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
	var all []Role
	for _, r := range []workload.Role{
		{Name: "balancer", Needed: workload.WhileDriven},
		{Name: "proxy", After: []string{"balancer"}, Needed: workload.WhileDriven},
		{Name: "db", After: []string{"proxy"}, Needed: workload.Always},
		{Name: "web", After: []string{"db"}, Needed: workload.WhileDriven},
	} {
		all = append(all, Role{Role: r, By: started{}}.ready())
	}
	for n, m := range spread(all) {
		if want := n < 3; m.Need.Load != want || m.Need.Audit != want || !m.Need.Drive {
			t.Errorf("%s is needed %+v", m.Name, m.Need)
		}
	}
}

// pool is an engine whose servers open connections of their own.
type pool struct{ app.Engine }

func (pool) Capabilities() app.Capabilities {
	return app.Capabilities{Connections: func(c app.Config) int { return c.Users / 2 }}
}

func TestPoolsCountAsTheirConnections(t *testing.T) {
	db := Role{Role: workload.Role{Name: "db"}, Engine: someEngine{}}
	php := Role{Role: workload.Role{Name: "php", After: []string{"db"}}, Engine: pool{}, Spec: study.Engine{Count: 3}}
	v := study.Variant{Application: study.Application{Load: study.Load{Users: 8}}}
	for want, all := range map[int][]Role{8: {db}, 12: {db, php}} {
		if got := connectionsFor(db, all, v); got != want {
			t.Errorf("%d roles: %d connections, want %d", len(all), got, want)
		}
	}
	if got := connectionsFor(php, []Role{db, php}, v); got != 8 {
		t.Errorf("a pool is used by %d", got)
	}
}
