package study_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// site is a study of a web server and a database.
const site = `study: site
workload: {name: web}
stack:
  site: {name: nginx, cpu: 1, count: 2}
  db: {name: postgres, cpu: 0.5, memory: 1GiB, settings: {fsync: on}}
storage: {d: {class: directory}}
ladder: [1, 2]
objectives: [mean <= 1s]
`

func TestStacksFillRoles(t *testing.T) {
	s := parse(t, site+"matrix: {stack.db.cpu: [0.5, 1]}\n", "")
	variants, err := s.Expand()
	if err != nil || len(variants) != 2 {
		t.Fatalf("%d variants, %v", len(variants), err)
	}
	for i, cpu := range []unit.Cores{0.5, 1} {
		v := variants[i]
		if db := v.Members[0].Server("db"); db.CPU != cpu || db.Name != "postgres" || db.Settings["fsync"] != "on" || db.Copies() != 1 {
			t.Errorf("variant %s has database %+v", v.Name, db)
		}
		if web := v.Members[0].Server("site"); web.Name != "nginx" || web.Copies() != 2 {
			t.Errorf("variant %s has web server %+v", v.Name, web)
		}
	}
	if short := parse(t, good, ""); (study.Variant{Application: study.Application{Engine: short.Members[0].Engine}}).Server("db").Name != "postgres" {
		t.Error("engine is not short for a stack of one server")
	}
}

// A setting's name may have dots, too.
func TestSettingsOfAServerCanBeVaried(t *testing.T) {
	variants, err := parse(t, site+"matrix: {stack.site.settings.pm.max_children: [8, 16]}\n", "").Expand()
	if err != nil || len(variants) != 2 {
		t.Fatalf("%d variants, %v", len(variants), err)
	}
	if v := variants[1]; v.Name != "d-max_children16" || v.Members[0].Server("site").Settings["pm.max_children"] != "16" {
		t.Errorf("variant %s has %v", v.Name, v.Members[0].Server("site").Settings)
	}
}

func TestExistingServers(t *testing.T) {
	text := strings.Replace(site, "postgres, cpu: 0.5, memory: 1GiB, settings: {fsync: on}", "postgres, existing: {servers: ['db1:5432/shop', 'db2:5432/shop'], user: me, password_env: SHOP}", 1)
	known := vocabulary()
	known.Classes["theirs"] = study.VocabularyEntry{Defaults: func() any { return &struct{}{} }, Volumes: func(any) []string { return nil }}
	s, err := study.Parse("site.yaml", []byte(strings.Replace(text, "class: directory", "class: theirs", 1)), "", known)
	if err != nil {
		t.Fatal(err)
	}
	x := s.Members[0].Stack["db"].Existing
	if p, err := x.Place(x.Servers[1]); err != nil || p != (study.Place{Network: "tcp", Address: "db2:5432", Database: "shop"}) {
		t.Errorf("second server is %+v, %v", p, err)
	}
	// Variants share no server that the matrix varies.
	varied, err := study.Parse("site.yaml", []byte(strings.Replace(text, "class: directory", "class: theirs", 1)+"matrix: {stack.db.existing.tls: [require, verify-full]}\n"), "", known)
	if err != nil {
		t.Fatal(err)
	}
	variants, err := varied.Expand()
	if err != nil || len(variants) != 2 || variants[0].Members[0].Server("db").Existing.TLS != "require" || variants[1].Members[0].Server("db").Existing.TLS != "verify-full" || varied.Members[0].Stack["db"].Existing.TLS != "" {
		t.Errorf("%d variants, %v", len(variants), err)
	}
}

func TestPlacesOfExistingServers(t *testing.T) {
	for server, want := range map[string]study.Place{
		"db1:5432/Shop DB":             {Network: "tcp", Address: "db1:5432", Database: "Shop DB"},
		"db1:5432/größe":               {Network: "tcp", Address: "db1:5432", Database: "größe"},
		"db1:5432/a/b":                 {Network: "tcp", Address: "db1:5432", Database: "a/b"},
		"[2001:db8::1]:5432/shop":      {Network: "tcp", Address: "[2001:db8::1]:5432", Database: "shop"},
		"/var/run/postgresql:5432/s-1": {Network: "unix", Address: "/var/run/postgresql:5432", Database: "s-1"},
		"/run/my sql/my.sock/Shop DB":  {Network: "unix", Address: "/run/my sql/my.sock", Database: "Shop DB"},
		"10.0.0.2:5201":                {Network: "tcp", Address: "10.0.0.2:5201"},
	} {
		if got, err := (study.Existing{}).Place(server); err != nil || got != want {
			t.Errorf("%s: %+v, %v", server, got, err)
		}
	}
	for _, server := range []string{"", "db1", "db1/shop", "db1:5432/", ":5432/shop", "db1:0/shop", "db1:65536/shop", "db1:postgres/shop", "2001:db8::1:5432/shop",
		"/shop", "/", "/run/socket/", "db1:5432/a\x00b", "db1:5432/\xff", "db1:5432/" + strings.Repeat("a", 65)} {
		if got, err := (study.Existing{}).Place(server); err == nil {
			t.Errorf("%q is taken for %+v", server, got)
		}
	}
}

// twoTiers varies whether there is a web server.
const twoTiers = `study: two-tiers
workload: {name: tiers}
stack:
  db: {name: postgres, cpu: 1}
  site: {name: nginx, cpu: 1}
storage: {d: {class: directory}}
matrix: {workload.parameters.tier: [database, web], stack.site.cpu: [1, 2]}
ladder: [1, 2]
objectives: [mean <= 1s]
`

// A variant has the servers that its workload asks for, and varying a server does
// not multiply the variants that have none of it.
func TestStacksFollowTheWorkload(t *testing.T) {
	variants, err := parse(t, twoTiers, "").Expand()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, v := range variants {
		var roles []string
		for role := range v.Members[0].Stack {
			roles = append(roles, role)
		}
		slices.Sort(roles)
		got[v.Name] = fmt.Sprintf("%v %v", roles, v.Members[0].Stack["site"].CPU)
	}
	want := map[string]string{"d-tier-database": "[db] 0", "d-tier-web-cpu1": "[db site] 1", "d-tier-web-cpu2": "[db site] 2"}
	if !maps.Equal(got, want) {
		t.Errorf("variants have %v, not %v", got, want)
	}
}

func TestStacksMustFillTheRolesOfEveryVariant(t *testing.T) {
	for _, c := range []struct{ old, now, want string }{
		{"  site: {name: nginx, cpu: 1}\n", "", "nothing fills the role site"},
		{"workload.parameters.tier: [database, web], ", "", `no role "site"`},
		{"nginx, cpu: 1", "postgres", "does not run on postgres"},
	} {
		text := strings.Replace(twoTiers, c.old, c.now, 1)
		if _, err := study.Parse("tiers.yaml", []byte(text), "", vocabulary()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q is not in: %v", c.want, err)
		}
	}
}

func TestProblemsOfStacks(t *testing.T) {
	parse := func(text string) error {
		_, err := study.Parse("site.yaml", []byte(text), "", vocabulary())
		return err
	}
	refuses(t, parse, site, []change{
		{"a role twice filled", "stack:", "engine: {name: postgres}\nstack:", "both engine and stack"},
		{"a role that is empty", "  site: {name: nginx, cpu: 1, count: 2}\n", "", "nothing fills the role site"},
		{"a role that is not", "  db:", "  bd:", `did you mean "db"`},
		{"an engine of another role", "name: nginx", "name: postgres", "does not run on postgres"},
		{"too many", "count: 2", "count: 1000", "count must be 1 to 100"},
		{"a varied role that is not", "storage:", "matrix: {stack.bd.cpu: [1, 2]}\nstorage:", `no role "bd"`},
		{"no stack at all", site[strings.Index(site, "stack:"):strings.Index(site, "storage:")], "", "stack is missing"},
		{"an engine for volumes alone", "{name: web}", "{name: blocks}", "has no servers"},
		{"settings of an existing server", "settings: {fsync: on}", "existing: {servers: ['a:1/b', 'c:1/b'], user: me, password_env: P}", "those of servers that Plimsoll starts"},
		{"too few servers", "cpu: 0.5, memory: 1GiB, settings: {fsync: on}", "existing: {servers: ['a:1/b'], user: me, password_env: P}", "the ladder goes up to 2"},
		{"a server that is no address", "cpu: 0.5, memory: 1GiB, settings: {fsync: on}", "existing: {servers: ['a:1/b', 'c/d;drop'], user: me, password_env: P}", "is not host:port/database"},
		{"a volume for what keeps nothing", "cpu: 1, count: 2", "volume: 1GiB", "keep no data"},
		{"an existing server that keeps nothing", "cpu: 1, count: 2", "existing: {servers: ['a:1/b', 'c:1/b'], user: me, password_env: P}", "keep no data"},
		{"no way to encrypt", "cpu: 0.5, memory: 1GiB, settings: {fsync: on}", "existing: {servers: ['a:1/b', 'c:1/b'], user: me, password_env: P, tls: verify_full}", `did you mean "verify-full"`},
		{"certificates without TLS", "cpu: 0.5, memory: 1GiB, settings: {fsync: on}", "existing: {servers: ['a:1/b', 'c:1/b'], user: me, password_env: P, ca_file: /p}", "only with tls"},
		{"certificates that nobody looks at", "cpu: 0.5, memory: 1GiB, settings: {fsync: on}", "existing: {servers: ['a:1/b', 'c:1/b'], user: me, password_env: P, tls: require, ca_file: /p}", "does not look at"},
		{"a certificate without TLS", "cpu: 0.5, memory: 1GiB, settings: {fsync: on}", "existing: {servers: ['a:1/b', 'c:1/b'], user: me, client_cert: /c, client_key: /k}", "only with tls"},
		{"a certificate without a key", "cpu: 0.5, memory: 1GiB, settings: {fsync: on}", "existing: {servers: ['a:1/b', 'c:1/b'], user: me, tls: require, client_cert: /c}", "the key of client_cert is missing"},
		{"a key without a certificate", "cpu: 0.5, memory: 1GiB, settings: {fsync: on}", "existing: {servers: ['a:1/b', 'c:1/b'], user: me, password_env: P, tls: require, client_key: /k}", "the certificate of client_key is missing"},
		{"an encrypted socket", "cpu: 0.5, memory: 1GiB, settings: {fsync: on}", "existing: {servers: ['/a:1/b', 'c:1/b'], user: me, password_env: P, tls: require}", "unix socket"},
		{"no password", "cpu: 0.5, memory: 1GiB, settings: {fsync: on}", "existing: {servers: ['/a:1/b', 'c:1/b'], user: me}", "given nowhere"},
		{"two passwords", "cpu: 0.5, memory: 1GiB, settings: {fsync: on}", "existing: {servers: ['a:1/b', 'c:1/b'], user: me, password_env: P, password_file: /p}", "or twice"},
	})
}

// change makes a study impossible; want is what its problem says.
type change struct{ name, old, now, want string }

// refuses makes each change to a study.
func refuses(t *testing.T, parse func(text string) error, text string, changes []change) {
	t.Helper()
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			if err := parse(strings.Replace(text, c.old, c.now, 1)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q is not in: %v", c.want, err)
			}
		})
	}
}

func TestFaultsOfRoles(t *testing.T) {
	existing := strings.Replace(site, "cpu: 0.5, memory: 1GiB, settings: {fsync: on}", "existing: {servers: ['a:1/b', 'c:1/b'], user: me, password_env: P}", 1)
	for _, c := range []struct{ text, do, want string }{
		{site, "kill instance 0 site", ""},
		{site, "kill instance 0", ""},
		{site, "kill instance 0 php", `no servers of role "php", only site, db`},
		{existing, "kill instance 0 db", "an existing one"},
	} {
		_, err := study.Parse("site.yaml", []byte(c.text+"faults: [{at: 1s, do: "+c.do+"}]\n"), "", vocabulary())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.do, err)
		}
	}
}

func TestVolumesThatAWorkloadCannotUse(t *testing.T) {
	text := "study: a\nworkload: {name: blocks}\nstorage: {d: {class: directory}}\nladder: [1]\nobjectives: [mean <= 1s]\n"
	if _, err := study.Parse("a.yaml", []byte(text), "", vocabulary()); err == nil || !strings.Contains(err.Error(), "hands out volumes of kind directory, which the role volume of workload blocks cannot use") {
		t.Error(err)
	}
}

func TestExistingServersHaveStorageOfTheirOwn(t *testing.T) {
	text := "study: a\nworkload: {name: shop}\nengine: {name: postgres, existing: {servers: ['a:1/b'], user: me, password_env: P}}\nstorage: {d: {class: directory}}\nladder: [1]\nobjectives: [mean <= 1s]\n"
	if _, err := study.Parse("a.yaml", []byte(text), "", vocabulary()); err == nil || !strings.Contains(err.Error(), "every server that keeps data is an existing one") {
		t.Error(err)
	}
}

func TestReferencesAreKnown(t *testing.T) {
	v := vocabulary()
	v.References = []string{"cns-ds2", "cns-ds3"}
	_, err := study.Parse("a.yaml", []byte("reference: cns-ds4\n"+site), "", v)
	if err == nil || !strings.Contains(err.Error(), `no published results "cns-ds4"`) {
		t.Error(err)
	}
	s, err := study.Parse("a.yaml", []byte("reference: cns-ds3\n"+site), "", v)
	if err != nil || s.Reference != "cns-ds3" {
		t.Errorf("%+v, %v", s, err)
	}
}
