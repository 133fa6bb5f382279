package campaign

import (
	"context"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
)

// diary is a class and a server that write down what is done to them.
type diary struct {
	storage.Class
	platform.Process
	entries *[]string
}

func (d diary) Lift() error { *d.entries = append(*d.entries, "lift"); return nil }

func (d diary) Stop(context.Context) error { *d.entries = append(*d.entries, "stop"); return nil }

func (d diary) Remount(context.Context) (string, error) {
	*d.entries = append(*d.entries, "remount")
	return "unmounted it", nil
}

func TestServersAreStoppedBeforeTheirVolumesAreRemounted(t *testing.T) {
	d := diary{entries: &[]string{}}
	made := &trial{c: &Campaign{}, class: d, members: []member{{}}}
	made.instances = []*instance{running(made, 0, d, nil)}
	source, err := made.dropCaches(t.Context())
	if err != nil || !strings.Contains(source, "unmounted it") {
		t.Errorf("%q, %v", source, err)
	}
	if want := []string{"lift", "stop", "remount"}; !slices.Equal(*d.entries, want) {
		t.Errorf("%v, want %v", *d.entries, want)
	}
}
