package phpfpm

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/conformance/apptest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/test/quick"
)

// page shows the environment of a page: the way to the database, and the opcode cache.
const page = `<?php
$db = (require 'peers.php')['db'];
echo $db['kind'], ' ', $db['user'], ' ', $db['password'] === getenv('EXPECTED') ? '' : strlen($db['password']), ' ', opcache_get_status(false)['opcache_enabled'] ? 'cached' : 'not cached';
`

func TestEngine(t *testing.T) {
	apptest.Run(t, apptest.Suite{
		Engine: Engine{}, Platform: localtest.Platform, Least: leastMemory,
		Configure: func(_ *testing.T, _ platform.Platform, c app.Config) app.Config {
			c.Content = map[string]string{"shop/page.php": page}
			c.Peers = []endpoint.Endpoint{{Role: "db", Kind: "sql:postgres", User: "web", Password: `it's a \ ${PORT}`}}
			return c
		},
		Ask: func(t *testing.T, e endpoint.Endpoint) error {
			text, err := get(t.Context(), e.Network, e.Address, "/shop/page.php", "")
			if err == nil && (!strings.Contains(text, "sql:postgres web 16 cached")) {
				err = fmt.Errorf("the page says %q", text)
			}
			return err
		},
	})
}

// TestEngineAsPlainUser does without another user, control groups and namespaces.
func TestEngineAsPlainUser(t *testing.T) {
	localtest.AsPlainUser(t, "^TestEngine$/(described|writes|kill|outlives)")
}

func TestWorkersFollowTheUsers(t *testing.T) {
	for _, c := range []struct {
		users    int
		children string
		want     int
	}{{0, "", 1}, {4, "", 4}, {500, "", 32}, {4, "9", 9}, {4, "nonsense", 4}} {
		config := app.Config{Users: c.users}
		if c.children != "" {
			config.Settings = map[string]string{childrenSetting: c.children}
		}
		if got := (Engine{}).Connections(config); got != c.want {
			t.Errorf("%+v: %d workers", c, got)
		}
	}
}

func TestSettingsAreJudgedByTheServer(t *testing.T) {
	quick.Skip(t, quick.Servers)
	apptest.JudgesSettings(t, Engine{}, map[string]apptest.Setting{
		"misspelt":         {Name: "opcache.enabel", Value: "0", Reason: "has no setting opcache.enabel", Hint: `did you mean "opcache.enable"?`},
		"of the pool":      {Name: "pm", Value: "banana", Reason: "invalid process manager", Hint: ""},
		"impossible value": {Name: "pm.max_children", Value: "many", Reason: "is not a valid number", Hint: ""},
		"set by Plimsoll":  {Name: "listen", Value: "9000", Reason: "Plimsoll sets listen", Hint: "remove it"},
		"an extension":     {Name: "extension", Value: "/tmp/x.so", Reason: "Plimsoll sets extension", Hint: "remove it"},
		"quoted":           {Name: "memory_limit", Value: "'1'", Reason: "quotation mark", Hint: "leave it out"},
		"right":            {Name: "opcache.jit", Value: "tracing", Reason: "", Hint: ""},
		"right of a pool":  {Name: "pm.max_requests", Value: "500", Reason: "", Hint: ""},
	})
}

// A study's settings reach PHP, whatever is in them.
func TestStudySettingsAreLastAndQuoted(t *testing.T) {
	c := app.Config{Settings: map[string]string{"memory_limit": "96M; x = ${HOME}", "pm.max_requests": "7"}}
	if text := ini(app.Installation{}, c); !strings.HasSuffix(text, "memory_limit = '96M; x = ${HOME}'\n") {
		t.Errorf("the end of\n%s", text)
	}
	if text := pool(c); !strings.HasSuffix(text, "pm.max_requests = '7'\n") {
		t.Errorf("the end of\n%s", text)
	}
}

// Pages that cannot talk to their database are refused before a start.
func TestAMissingExtensionIsNamedWithItsPackage(t *testing.T) {
	in := app.Installation{Version: "8.2.1", Modules: map[string]string{"opcache": "", "pgsql": ""}}
	c := app.Config{Peers: []endpoint.Endpoint{{Role: "db", Kind: "sql:postgres"}, {Role: "other", Kind: "sql:mariadb"}}}
	found, err := Engine{}.CheckConfig(t.Context(), in, c)
	if err != nil || len(found) != 1 || !strings.Contains(found[0].Text, "no extension pdo_mysql") || !strings.Contains(found[0].Hint, "php-mysql") {
		t.Errorf("%+v, %v", found, err)
	}
}

// On a machine without PHP, the error names the packages to install.
func TestWithoutPHP(t *testing.T) {
	apptest.RefusesInstallations(t, choose, "", map[string][]app.Installation{
		"run `" + packages().Install() + "`": nil,
		"php8.2-opcache":                     {{Version: "8.2.36", Modules: map[string]string{"pgsql": ""}}},
	})
}

// Pages learn the path of their files, whatever the paths of volumes are like.
func TestPagesKnowTheirVolumes(t *testing.T) {
	c := app.Config{Name: "php", Mounts: []endpoint.Endpoint{endpoint.OfDirectory("files", "/a"), endpoint.OfDirectory("more", "/b")}}
	place := app.Surroundings{Volume: `/it's a\b`, Mounts: map[string]string{"more": "/more"}}
	for _, f := range (Engine{}).Server(app.Installation{}, c).Files {
		if f.Path != peersFile {
			continue
		}
		text := place.Content(f)
		for _, want := range []string{`'files' => ['kind' => 'directory', 'path' => '/it\'s a\\b/files']`, `'more' => ['kind' => 'directory', 'path' => '/more/files']`} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not have %s", text, want)
			}
		}
	}
	steps := Engine{}.Initialise(app.Installation{}, c)
	if len(steps) != 2 || steps[0].Command[3] != "${VOLUME}/files" || steps[1].Command[3] != "${VOLUME:more}/files" {
		t.Errorf("it lays out %+v", steps)
	}
}
