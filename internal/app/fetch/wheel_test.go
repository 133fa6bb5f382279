package fetch_test

import (
	"errors"
	"strings"
	"testing"

	"plimsoll/internal/app/fetch"
	"plimsoll/test/quick"
)

func TestAPackageOfPythonThatCannotBeHadSaysWhy(t *testing.T) {
	quick.Skip(t, quick.Commands)
	if !fetch.HasPip() {
		t.Skip(fetch.ErrNoPip)
	}
	t.Setenv("PIP_NO_INDEX", "1")
	t.Setenv("PIP_FIND_LINKS", t.TempDir())
	_, err := fetch.Wheel(t.Context(), "plimsoll-nothing==1.0", t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "pip download plimsoll-nothing==1.0") {
		t.Error(err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := fetch.Wheel(t.Context(), "plimsoll-nothing==1.0", t.TempDir()); !errors.Is(err, fetch.ErrNoPip) || fetch.HasPip() {
		t.Error(err)
	}
}

func TestArtifactsAreWhereMavenHasThem(t *testing.T) {
	a := fetch.Artifact{Group: "io.trino", Name: "trino-server", Version: "476", Type: "tar.gz"}
	if got := a.URL("r"); got != "r/io/trino/trino-server/476/trino-server-476.tar.gz" {
		t.Error(got)
	}
}
