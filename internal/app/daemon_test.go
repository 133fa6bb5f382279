package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/describe/endpoint"
)

// What an engine says of its server stays; the rest is every daemon's.
func TestDaemon(t *testing.T) {
	c := app.Config{Name: "db-1", Limits: describe.Limits{CPU: 2}, Peers: []endpoint.Endpoint{{Role: "store"}}}
	plain := app.Daemon(c, app.Server{Kind: "k"})
	if plain.Name != "db-1" || plain.Kind != "k" || plain.Limits.CPU != 2 || len(plain.Peers) != 1 || !plain.Unprivileged {
		t.Errorf("%+v", plain)
	}
	if plain.Stop != "TERM" || plain.StartTimeout != time.Minute || plain.StopTimeout != 30*time.Second {
		t.Errorf("%s, %s, %s", plain.Stop, plain.StartTimeout, plain.StopTimeout)
	}
	if own := app.Daemon(c, app.Server{Stop: "INT", StartTimeout: 1, StopTimeout: 2}); own.Stop != "INT" || own.StartTimeout != 1 || own.StopTimeout != 2 {
		t.Errorf("%s, %s, %s", own.Stop, own.StartTimeout, own.StopTimeout)
	}
}

// foundEngine is one whose installation is known.
type foundEngine struct {
	app.Engine
	in  app.Installation
	err error
}

func (e foundEngine) Find(context.Context, string, bool) (app.Installation, error) {
	return e.in, e.err
}

func TestChecks(t *testing.T) {
	c := doctor.Check{Name: "x", Means: "m"}
	there := app.Checks(t.Context(), foundEngine{in: app.Installation{Version: "1.2", Paths: map[string]string{"x": "/usr/sbin/x"}}}, "x", c)
	if len(there) != 1 || there[0].Status != doctor.OK || there[0].Found != "installed: 1.2, /usr/sbin" {
		t.Errorf("%+v", there)
	}
	lacking := app.Checks(t.Context(), foundEngine{in: app.Installation{Version: "1.2"}, err: errors.New("too old")}, "x", c)
	if len(lacking) != 1 || lacking[0].Status != doctor.Warn || lacking[0].Found != "too old" || lacking[0].Means != "m" {
		t.Errorf("%+v", lacking)
	}
}

// A variable's value may have any character.
func TestJSONFile(t *testing.T) {
	f := app.JSONFile("${RUNTIME}/x.json", map[string]string{"at": "${VOLUME}/a"})
	text := strings.ReplaceAll(f.Content, "${VOLUME}", f.Escape("/a\"\\\nb"))
	var got map[string]string
	if err := json.Unmarshal([]byte(text), &got); err != nil || got["at"] != "/a\"\\\nb/a" || f.Mode != 0o600 {
		t.Errorf("%s: %v, %v", text, got, err)
	}
}

func TestVersionOf(t *testing.T) {
	pattern := regexp.MustCompile(`Ver (\d+\.\d+)`)
	for script, want := range map[string]string{"echo x Ver 1.2": "1.2", "echo x 1.2": "", "echo Ver 1.2; exit 1": ""} {
		got, err := app.VersionOf(t.Context(), pattern, "/bin/sh", "-c", script)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", script, got, err)
		}
	}
	if _, err := app.VersionOf(t.Context(), pattern, "/no/program"); err == nil {
		t.Error("a program that is not there has a version")
	}
}
