package local_test

import (
	"os"
	"strings"
	"testing"

	"plimsoll/internal/conformance/platformtest"
	"plimsoll/internal/platform/local"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/study"
)

func TestPlatform(t *testing.T) {
	platformtest.Run(t, platformtest.Suite{Kind: local.Kind{}, Platform: localtest.Platform, Volume: localtest.Volume})
}

func TestPlatformAsPlainUser(t *testing.T) {
	localtest.AsPlainUser(t, "^TestPlatform$")
}

func TestContainersNeedRoot(t *testing.T) {
	if os.Geteuid() == 0 {
		localtest.AsPlainUser(t, "^TestContainersNeedRoot$")
		return
	}
	err := local.Kind{}.Deploys(t.Context(), study.Container)
	if err == nil || !strings.Contains(err.Error(), "as root") {
		t.Errorf("a plain user may make containers: %v", err)
	}
}
