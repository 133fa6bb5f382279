package workloadtest

import (
	"testing"

	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
)

// RunOnVolume is the suite for a workload without servers, whose sessions are
// paced and work on a directory. It adds what may happen to a volume.
func RunOnVolume(t *testing.T, s Suite) {
	s.Environment = Here()
	Run(t, s)
	t.Run("a session that is cancelled hands over its receipts", s.cancelledSession)
	t.Run("no space for the data set", s.noSpaceBefore)
	t.Run("no space while sessions work", s.noSpaceWhile)
	t.Run("a volume that becomes read-only", s.readOnly)
	t.Run("a volume that vanishes", s.vanishes)
	t.Run("links to what is outside", s.links)
	t.Run("files that are removed from outside", s.removed)
	t.Run("files that are truncated from outside", s.truncated)
	t.Run("no file handles", s.noHandles)
}

// onVolume is a bench on a directory.
func (s Suite) onVolume(t *testing.T, dir string) *bench {
	t.Helper()
	s.Environment.Volume = func(_ *testing.T, _ platform.Platform, name, _ string) storage.Volume {
		return storage.Volume{Name: name, Path: dir}
	}
	return &bench{Suite: s, instance: s.start(t)}
}

// prepared is a bench whose data set is there.
func (s Suite) prepared(t *testing.T, dir string) *bench {
	t.Helper()
	b := s.onVolume(t, dir)
	if err := b.load(t.Context(), func(float64) {}); err != nil {
		t.Fatal(err)
	}
	return b
}

// dir is the volume's directory.
func (b *bench) dir() string { return b.instance.Volume() }

// passes reports whether the audit passes. That it cannot be made is no success.
func (b *bench) passes(t *testing.T, receipts [][]byte) bool {
	t.Helper()
	a, err := b.Workload.Capabilities().Audit(t.Context(), b.target(), b.Parameters, seed, asStream(receipts))
	if err != nil {
		t.Logf("the audit: %v", err)
	}
	for _, c := range a.Checks {
		if !c.Passed {
			t.Logf("the audit: %s: expected %d, found %d: %q", c.Name, c.Expected, c.Found, c.Examples)
		}
	}
	return err == nil && a.Passed()
}
