package imaged

import (
	"context"
	"os"
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/app/builtin"
	"plimsoll/internal/app/builtin/imaged"
	"plimsoll/internal/app/builtin/imaged/imagedtest"
	"plimsoll/internal/app/builtin/transfer"
	"plimsoll/internal/conformance/apptest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/simnet/link"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local/localtest"
)

// TestMain makes this test program a service when the platform started it as one.
func TestMain(m *testing.M) { os.Exit(imagedtest.Main(m)) }

func TestEngine(t *testing.T) {
	for name, settings := range map[string]map[string]string{
		"direct": {},
		"remote": {builtin.PathSetting: link.Remote, builtin.RateSetting: "10gbit"},
	} {
		t.Run(name, func(t *testing.T) {
			apptest.Run(t, apptest.Suite{
				Engine: Engine{}, Platform: localtest.Platform, Volume: localtest.Volume, Least: leastMemory, Alone: settings[builtin.PathSetting] == "",
				Configure: func(_ *testing.T, _ platform.Platform, c app.Config) app.Config {
					c.Settings = settings
					return c
				},
				Open: func(_ context.Context, _ app.Config, e endpoint.Endpoint) (apptest.Store, error) {
					return items{imaged.PlaceOf(e)}, nil
				},
			})
		})
	}
}

// TestEngineAsPlainUser does without another user, control groups and a root's rights.
func TestEngineAsPlainUser(t *testing.T) {
	localtest.AsPlainUser(t, "^TestEngine$/(direct|remote)/(described|restart|kill)")
}

// items keeps each value as an item.
type items struct{ at imaged.Place }

var plain = imaged.Way{Format: transfer.Packed, TLS: true}

func (s items) Put(ctx context.Context, key, value string) error {
	item := transfer.Making(int64(len(value)), func(take func(int64, []byte) error) error { return take(0, []byte(value)) })
	_, err := s.at.Import(ctx, []transfer.Stage{item}, key, transfer.Raw, plain)
	return err
}

func (s items) Get(ctx context.Context, key string) (string, error) {
	var b strings.Builder
	take := transfer.Unpacking("take", func(int64) {}, func(_ int64, p []byte) { b.Write(p) })
	_, err := s.at.Export(ctx, key, transfer.Raw, plain, []transfer.Stage{take})
	return b.String(), err
}

func (s items) Count(ctx context.Context) (int, error) {
	all, err := s.at.List(ctx)
	return len(all), err
}

func (items) Close() error { return nil }

func TestSettingsAreJudged(t *testing.T) {
	apptest.JudgesSettings(t, Engine{}, map[string]apptest.Setting{
		"misspelt":          {Name: "link_rat", Value: "1gbit", Reason: "has no setting link_rat", Hint: `did you mean "link_rate"?`},
		"no path":           {Name: builtin.PathSetting, Value: "far", Reason: `"far" is not direct or remote or local`},
		"the machine's own": {Name: builtin.RateSetting, Value: "10gbit", Reason: "the link is the machine's", Hint: "set path to remote or local"},
		"right":             {Name: builtin.PathSetting, Value: "remote"},
	})
}

// The service that others are fetched from is the one among its peers.
func TestItKnowsItsSource(t *testing.T) {
	peers := []endpoint.Endpoint{{Role: "db", Kind: "sql:postgres"}, {Role: "source", Kind: imaged.Kind, Network: "tcp", Address: "127.0.0.1:1", Password: "p"}}
	if got := source(peers); got == nil || *got != (imaged.Place{Network: "tcp", Address: "127.0.0.1:1", Token: "p"}) {
		t.Errorf("%+v", got)
	}
	if got := source(peers[:1]); got != nil {
		t.Errorf("%+v", got)
	}
}
