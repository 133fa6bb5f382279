package version

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestAProgramSaysWhatItWasBuiltFrom(t *testing.T) {
	commit, date := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef"}, debug.BuildSetting{Key: "vcs.time", Value: "2026-11-27T03:00:00Z"}
	clean := infoOf([]debug.BuildSetting{commit, date, {Key: "vcs.modified", Value: "false"}})
	if clean.Version != Number+"+0123456789ab" || clean.Date != date.Value || !strings.HasPrefix(clean.String(), Number+" (commit 0123456789abcdef of 2026-11-27T03:00:00Z) go") {
		t.Errorf("%+v: %s", clean, clean)
	}
	edited := infoOf([]debug.BuildSetting{commit, date, {Key: "vcs.modified", Value: "true"}})
	if edited.Version != Number+"+0123456789ab.modified" || !strings.Contains(edited.String(), "2026-11-27T03:00:00Z, modified)") {
		t.Errorf("%+v: %s", edited, edited)
	}
	if loose := infoOf(nil); loose.Version != Number || !strings.Contains(loose.String(), "(not built from a checkout)") {
		t.Errorf("%+v: %s", loose, loose)
	}
}
