package versitygw_test

import (
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/app/versitygw"
	"plimsoll/internal/conformance/apptest"
	"plimsoll/internal/conformance/buckettest"
	"plimsoll/internal/platform/local/localtest"
)

func TestEngine(t *testing.T) {
	apptest.Run(t, apptest.Suite{
		Engine: versitygw.Engine{}, Fetch: true, Platform: localtest.Platform, Volume: localtest.Volume,
		Least: 64 << 20, Alone: true, Open: buckettest.Open,
	})
}

// TestEngineAsPlainUser does without another user, control groups and namespaces.
func TestEngineAsPlainUser(t *testing.T) {
	localtest.AsPlainUser(t, "^TestEngine$/(described|restart|kill|copy)")
}

func TestSettingsAreJudged(t *testing.T) {
	apptest.JudgesSettings(t, versitygw.Engine{}, map[string]apptest.Setting{
		"misspelt":        {Name: "concurency", Value: "9", Reason: "has no setting concurency", Hint: "did you mean \"concurrency\"?"},
		"no number":       {Name: "io-buffer-size", Value: "1MiB", Reason: `"1MiB" is not a number`},
		"no switch":       {Name: "enable-odirect", Value: "yes", Reason: `"yes" is none of on, off`},
		"ours":            {Name: "port", Value: ":80", Reason: "Plimsoll sets port", Hint: "remove it"},
		"another service": {Name: "s3-iam-endpoint", Value: "x", Reason: "which a study may not", Hint: "remove it"},
		"right":           {Name: "concurrency", Value: "64"},
		"a switch":        {Name: "enable-odirect", Value: "on"},
	})
	s := versitygw.Engine{}.Server(app.Installation{}, app.Config{Settings: map[string]string{"max-requests": "5", "concurrency": "6", "enable-odirect": "on", "disableotmp": "off"}})
	for value, want := range map[string]bool{"on": true, "off": false, "": false} {
		if got := (versitygw.Engine{}).Direct(app.Config{Settings: map[string]string{"enable-odirect": value}}); got != want {
			t.Errorf("enable-odirect %q: direct %v", value, got)
		}
	}
	want := []string{"", "--port", "${HOST}:${PORT}", "--region", versitygw.Region, "--keep-alive", "--quiet", "--max-requests", "5", "posix", "--concurrency", "6", "--enable-odirect", "${VOLUME}/buckets"}
	if len(s.Command) != len(want) {
		t.Fatalf("%q", s.Command)
	}
	for n := range want {
		if s.Command[n] != want[n] {
			t.Errorf("word %d is %q, want %q", n, s.Command[n], want[n])
		}
	}
}
