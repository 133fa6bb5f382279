package versitygw

import (
	"context"
	"math"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
)

// place is where on the command line a setting stands.
type place int

const (
	ofGateway place = iota // before the name of the backend
	ofStore                // after it
)

// direct is the switch that has object data bypass the page cache.
const direct = "enable-odirect"

// knownSettings are the settings that a study may make, by the names of the program's own flags;
// a switch is written on or off.
var knownSettings = map[string]struct {
	at     place
	isFlag bool
}{
	"max-connections":         {ofGateway, false},
	"max-requests":            {ofGateway, false},
	"concurrency":             {ofStore, false},
	"io-buffer-size":          {ofStore, false},
	direct:                    {ofStore, true},
	"disableotmp":             {ofStore, true},
	"disable-copy-file-range": {ofStore, true},
	"data-integrity-etag":     {ofStore, true},
}

// flags are those that settings make at a place.
func flags(of map[string]string, at place) (words []string) {
	for _, s := range app.StudySettings(of) {
		k, ok := knownSettings[s.Name()]
		switch {
		case !ok || k.at != at:
		case !k.isFlag:
			words = append(words, "--"+s.Name(), s.Value())
		case s.Value() == "on":
			words = append(words, "--"+s.Name())
		}
	}
	return words
}

// leastMemory is the least in which a gateway starts, in bytes.
const leastMemory = 64 * mib

// CheckConfig implements app.ConfigChecker by the list above.
func (e Engine) CheckConfig(_ context.Context, in app.Installation, c app.Config) ([]describe.Problem, error) {
	checks := map[string]app.ValueCheck{}
	for name, k := range knownSettings {
		checks[name] = app.Whole(1, math.MaxInt)
		if k.isFlag {
			checks[name] = app.Choice("on", "off")
		}
	}
	return app.JudgeListed(in, c, "versitygw", leastMemory, e.Outward(), checks)
}

// Outward implements app.ConfigChecker: where it listens and with which keys is ours, and
// what leads to other services is refused.
func (Engine) Outward() app.OutwardSettings {
	return app.OutwardSettings{
		Owned:  []string{"port", "region", "keep-alive", "quiet", "access", "secret", "versioning-dir", "sidecar", "cert", "key"},
		Powers: []string{"iam-*", "s3-iam-*", "event-*", "webui*", "website*", "admin-*", "log-webhook-url", "access-log", "pprof", "ipa-*", "metrics-*", "chuid", "chgid", "bucketlinks", "log-level", "debug"},
	}
}
