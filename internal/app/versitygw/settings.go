package versitygw

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"plimsoll/internal/app"
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
func (e Engine) CheckConfig(_ context.Context, in app.Installation, c app.Config) ([]app.ConfigProblem, error) {
	return app.JudgeConfig(c, "versitygw", leastMemory, e.Outward(), func(name, value string) (*app.ConfigProblem, error) {
		k, ok := knownSettings[name]
		if !ok {
			return app.UnknownSetting("versitygw", in.Version, name, slices.Sorted(maps.Keys(knownSettings))), nil
		}
		n, err := strconv.Atoi(value)
		switch {
		case k.isFlag && value != "on" && value != "off":
			return &app.ConfigProblem{Reason: fmt.Sprintf("%q is neither on nor off", value)}, nil
		case !k.isFlag && (err != nil || n < 1):
			return &app.ConfigProblem{Reason: fmt.Sprintf("%q is not a number of 1 or more", value)}, nil
		}
		return nil, nil
	})
}

// Outward implements app.ConfigChecker: where it listens and with which keys is ours, and
// what leads to other services is refused.
func (Engine) Outward() app.OutwardSettings {
	return app.OutwardSettings{
		Owned:  []string{"port", "region", "keep-alive", "quiet", "access", "secret", "versioning-dir", "sidecar", "cert", "key"},
		Powers: []string{"iam-*", "s3-iam-*", "event-*", "webui*", "website*", "admin-*", "log-webhook-url", "access-log", "pprof", "ipa-*", "metrics-*", "chuid", "chgid", "bucketlinks", "log-level", "debug"},
	}
}
