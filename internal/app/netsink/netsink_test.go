package netsink

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/app/builtin"
	"plimsoll/internal/app/builtin/sink"
	"plimsoll/internal/conformance/apptest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/simnet/link"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local/localtest"
)

// TestMain makes this test program a sink when the platform started it as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "sink" {
		if err := runSink(os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, "Error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func runSink(file string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var c sink.Config
	if err := json.Unmarshal(text, &c); err != nil {
		return err
	}
	return sink.Main(ctx, c, os.Stdout)
}

func TestEngine(t *testing.T) {
	for name, settings := range map[string]map[string]string{
		"direct":      {},
		"remote":      {builtin.PathSetting: link.Remote, builtin.OffloadSetting: link.Off, builtin.RateSetting: "10gbit"},
		"local as is": {builtin.PathSetting: link.Local},
	} {
		t.Run(name, func(t *testing.T) {
			apptest.Run(t, apptest.Suite{
				Engine: Engine{}, Platform: localtest.Platform, Least: leastMemory, Alone: settings[builtin.PathSetting] == "",
				Configure: func(_ *testing.T, _ platform.Platform, c app.Config) app.Config {
					c.Settings = settings
					return c
				},
				Ask: func(t *testing.T, e endpoint.Endpoint) error { return streams(t, e) },
			})
		})
	}
}

// streams sends a little and asks what came of it.
func streams(t *testing.T, e endpoint.Endpoint) error {
	place := sink.Place{Network: e.Network, Address: e.Address, Token: e.Password}
	st := sink.Stream{ID: rand.Text(), Seed: 1, Message: 100}
	s, err := place.Open(t.Context(), st)
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.Write(t.Context(), sink.NewContent(st.Seed, st.Message).At(0, st.Message)); err != nil {
		return err
	}
	if err := s.CloseWrite(); err != nil {
		return err
	}
	total, err := place.Total(t.Context(), st.ID)
	if err == nil && total != (sink.Total{Bytes: 100, Wrong: -1}) {
		err = fmt.Errorf("100 bytes were sent: %+v", total)
	}
	return err
}

// TestEngineAsPlainUser does without another user, control groups and a root's rights.
func TestEngineAsPlainUser(t *testing.T) {
	localtest.AsPlainUser(t, "^TestEngine$/(direct|remote)/(described|writes|kill|outlives)")
}

func TestSettingsAreJudged(t *testing.T) {
	apptest.JudgesSettings(t, Engine{}, map[string]apptest.Setting{
		"misspelt":          {Name: "pathh", Value: "local", Reason: "has no setting pathh", Hint: `did you mean "path"?`},
		"no path":           {Name: builtin.PathSetting, Value: "far", Reason: `"far" is not direct or remote or local`},
		"no offload":        {Name: builtin.OffloadSetting, Value: "yes", Reason: `"yes" is not as-is or on or off`},
		"the machine's":     {Name: builtin.OffloadSetting, Value: "off", Reason: "which others use, too", Hint: "set path to remote or local; or switch the interface yourself with ethtool -K NAME gro off lro off, and leave receive_offload as it is"},
		"no rate":           {Name: builtin.RateSetting, Value: "10", Reason: "is not a rate"},
		"the machine's own": {Name: builtin.RateSetting, Value: "10gbit", Reason: "the link is the machine's", Hint: "set path to remote or local"},
		"right":             {Name: builtin.PathSetting, Value: "remote"},
		"as it is":          {Name: builtin.OffloadSetting, Value: "as-is"},
	})
	all := map[string]string{builtin.PathSetting: "local", builtin.OffloadSetting: "off", builtin.RateSetting: "1gbit"}
	if found, err := (Engine{}).CheckConfig(t.Context(), app.Installation{}, app.Config{Settings: all}); err != nil || len(found) > 0 {
		t.Errorf("%v: %v, %v", all, found, err)
	}
}

// Where servers run in images, a sink is apart from its users, who cannot reach a socket
// of it.
func TestALinkNeedsOneMachine(t *testing.T) {
	elsewhere := app.Installation{Image: "plimsoll:1"}
	for path, wrong := range map[string]bool{"direct": false, link.Remote: true, link.Local: true} {
		found, err := (Engine{}).CheckConfig(t.Context(), elsewhere, app.Config{Settings: map[string]string{builtin.PathSetting: path}})
		if err != nil || (len(found) == 1) != wrong {
			t.Fatalf("%s: %+v, %v", path, found, err)
		}
		if wrong && (found[0].Path != "settings.path" || !strings.Contains(found[0].Hint, "set path to direct")) {
			t.Errorf("%s: %+v", path, found)
		}
	}
}
