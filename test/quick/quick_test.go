package quick

import "testing"

func TestSkipLeavesOutWhatIsShortOnly(t *testing.T) {
	skipped := true
	t.Run("part", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		Skip(t, Seconds)
	})
	if skipped != testing.Short() {
		t.Errorf("skipped %t, -short %t", skipped, testing.Short())
	}
}
