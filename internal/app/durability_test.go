package app

import (
	"context"
	"slices"
	"testing"

	"plimsoll/internal/describe/capability"
	"plimsoll/internal/describe/endpoint"
)

// reader is an engine with nothing but settings.
type reader struct{ Engine }

func (r reader) Capabilities() Capabilities { return Capabilities{Durability: r} }

func (reader) DurabilitySettings() []DurabilitySetting {
	return []DurabilitySetting{
		{Name: "fsync", Safe: []string{"on"}, Loses: "all"},
		{Name: "flush_log", Safe: []string{"on", "3"}, Loses: "a second"},
	}
}

func (reader) ReadDurability(context.Context, endpoint.Endpoint) (map[string]string, error) {
	return nil, nil
}

// A role that no engine fills can do nothing, which is no mistake.
func TestNoEngineHasNoCapabilities(t *testing.T) {
	if can := capability.Of(CapabilitiesOf(nil)); can != nil {
		t.Errorf("no engine can %q", can)
	}
	if can := capability.Of(CapabilitiesOf(reader{})); len(can) != 1 {
		t.Errorf("an engine with settings alone can %q", can)
	}
	if lost := GivenUp(nil, map[string]string{"fsync": "off"}); lost != nil {
		t.Errorf("no engine gives up %q", lost)
	}
}

func TestGivenUp(t *testing.T) {
	for _, c := range []struct {
		settings map[string]string
		want     []string
	}{
		{nil, nil},
		{map[string]string{"fsync": "on", "work_mem": "4MB"}, nil},
		{map[string]string{"fsync": "'TRUE'", "flush-log": "1"}, nil},
		{map[string]string{"FSYNC": "of"}, []string{"fsync = of (all)"}},
		{map[string]string{"fsync": "0", "loose-flush-log": "2"}, []string{"flush_log = 2 (a second)", "fsync = 0 (all)"}},
	} {
		if got := GivenUp(reader{}, c.settings); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.settings, got, c.want)
		}
	}
}
