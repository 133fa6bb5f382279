package study_test

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/study"
)

// theirShop is a study of existing web sites.
const theirShop = `study: shop
workload: {name: web}
target: [http://one.example/ds3, "https://two.example:8443"]
storage: {theirs: {class: theirs}}
ladder: [1, 2]
objectives: [mean <= 1s]
`

// parseShop knows a workload that talks to a web site.
func parseShop(text string) (*study.Study, error) {
	known := vocabulary()
	known.Classes["theirs"] = study.VocabularyEntry{Defaults: func() any { return &struct{}{} }, Volumes: func(any) []string { return nil }}
	web := known.Workloads["web"]
	roles := web.Roles
	web.Roles = func(p any) []study.Role {
		all := slices.Clone(roles(p))
		for i := range all {
			all[i].Site = all[i].Name == "site"
		}
		return all
	}
	known.Workloads["web"] = web
	return study.Parse("shop.yaml", []byte(text), "", known)
}

func TestTargets(t *testing.T) {
	for text, want := range map[string][]string{
		theirShop: {"http://one.example/ds3", "https://two.example:8443"},
		strings.NewReplacer(`[http://one.example/ds3, "https://two.example:8443"]`, "http://one.example", "[1, 2]", "{of: users, rungs: [1, 8]}").Replace(theirShop): {"http://one.example"},
	} {
		s, err := parseShop(text)
		if err != nil {
			t.Fatal(err)
		}
		variants, err := s.Expand()
		if err != nil || len(variants) != 1 || !slices.Equal(variants[0].Members[0].Target, want) {
			t.Errorf("%+v, %v; want %v", variants, err, want)
		}
	}
}

func TestSites(t *testing.T) {
	for url, want := range map[string]study.Site{
		"http://shop.example/ds3":            {Address: "shop.example:80", Path: "/ds3"},
		"https://shop.example":               {Address: "shop.example:443", Path: "/", Encrypted: true},
		"http://[::1]:8080/a%20b/":           {Address: "[::1]:8080", Path: "/a%20b/"},
		"http://10.0.0.1:81/ds2":             {Address: "10.0.0.1:81", Path: "/ds2"},
		"ftp://shop.example/":                {},
		"shop.example/ds3":                   {},
		"http:///ds3":                        {},
		"http://shop.example/?a=1":           {},
		"http://shop.example/#a":             {},
		"http://me:secret@shop.example/":     {},
		"http://me:sec%secret@shop.example/": {},
		"me:secret@shop.example":             {},
		"http://shop.example:port/":          {},
		"http://me:secret":                   {},
		"http://me:secret%40shop.example/":   {},
		"http://shop.example/?key=secret":    {},
		"http://shop.example/#secret":        {},
		"ftp://shop.example/secret":          {},
	} {
		got, err := study.ParseSite(url)
		if got != want || (err == nil) != (want.Address != "") {
			t.Errorf("%s: %+v, %v", url, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%v repeats a password", err)
		}
	}
}

// A password that does not belong into a study is not shown, nor the line that holds it.
func TestPasswordsAreNotRepeated(t *testing.T) {
	const unwanted = "http://me:secret@one"
	for name, text := range map[string]string{
		"in a list":       strings.Replace(theirShop, "http://one", unwanted, 1),
		"alone":           strings.Replace(theirShop, `[http://one.example/ds3, "https://two.example:8443"]`, unwanted, 1),
		"without scheme":  strings.Replace(theirShop, "http://one", "me:secret@one", 1),
		"twice":           strings.Replace(theirShop, `http://one.example/ds3, "https://two.example:8443"`, unwanted+", "+unwanted, 1),
		"in another key":  strings.NewReplacer("target:", "targets:", "http://one", unwanted).Replace(theirShop),
		"of a server":     strings.Replace(theirShop, "storage:", "engine: {name: postgres, existing: {servers: ['me:secret@db:1/shop'], user: me, password_env: P}}\nstorage:", 1),
		"with a space":    strings.Replace(theirShop, "http://one", "http://me:secret word@one", 1),
		"not even closed": strings.Replace(theirShop, "[http://one", "[{"+unwanted, 1),
	} {
		_, err := parseShop(text)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestImpossibleTargets(t *testing.T) {
	refuses(t, func(text string) error { _, err := parseShop(text); return err }, theirShop, []change{
		{"a stack, too", "storage:", "stack: {db: {name: postgres}}\nstorage:", "behind which nothing is started"},
		{"an engine, too", "storage:", "engine: {name: postgres}\nstorage:", "behind which nothing is started"},
		{"a password", "http://one", "http://me:secret@one", "a target has no credentials"},
		{"a query", "/ds3", "/ds3?a=1", "has a query"},
		{"a mapping", "http://one.example/ds3", "{url: x}", "expected a URL"},
		{"too few sites", "[1, 2]", "[1, 3]", "2 sites are listed, but the ladder goes up to 3"},
		{"a site twice", "\"https://two.example:8443\"", "http://one.example/ds3", "is listed twice"},
		{"faults", "storage:", "faults: [{at: 1s, do: kill instance 0}]\nstorage:", "the sites are existing ones"},
		{"a workload without pages", "name: web", "name: files", "talks to no web site"},
		{"a class for volumes", "class: theirs", "class: directory", "nothing would live on volumes"},
	})
}
