package local_test

import (
	"os"
	"testing"

	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/platform/platformtest"
)

func TestPlatform(t *testing.T) {
	platformtest.Run(t, platformtest.Suite{Platform: localtest.Platform, Volume: localtest.Volume})
}

func TestPlatformAsPlainUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("TestPlatform has run as a plain user already")
	}
	localtest.AsPlainUser(t, "^TestPlatform$")
}
