package fetch_test

import (
	"errors"
	"strings"
	"testing"

	"plimsoll/internal/app/fetch"
)

func TestAProgramThatCannotBeBuiltSaysWhy(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	err := fetch.Module(t.Context(), "plimsoll.invalid/nothing@v1.0.0", t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "build plimsoll.invalid/nothing@v1.0.0") {
		t.Error(err)
	}
	t.Setenv("PATH", t.TempDir())
	if err := fetch.Module(t.Context(), "plimsoll.invalid/nothing@v1.0.0", t.TempDir()); !errors.Is(err, fetch.ErrNoGo) || fetch.HasGo() {
		t.Error(err)
	}
}
