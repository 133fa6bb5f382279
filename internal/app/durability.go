package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"plimsoll/internal/describe/endpoint"
)

// DurabilityReader knows which settings of an engine give up durability, and reads them from a
// server: with them a crash may lose what was
// acknowledged, or damage data, and commits cost less than they do where data must
// survive.
type DurabilityReader interface {
	DurabilitySettings() []DurabilitySetting
	// ReadDurability reads them as they are in a session of the endpoint's user: a role
	// or a database may have values of its own. Those that do not matter on this
	// server, or that its version does not have, are left out.
	ReadDurability(ctx context.Context, e endpoint.Endpoint) (map[string]string, error)
}

// DurabilitySetting is a setting on which durability depends.
type DurabilitySetting struct {
	Name string
	// Safe are the values that preserve it. The values of a switch are written "on" or
	// "off", however the server spells them.
	Safe []string
	// Risky is a value that gives it up.
	Risky string
	// Loses says in a clause what may happen with any other value.
	Loses string
}

// GivenUp lists in words which of the settings give up durability on an engine,
// such as "fsync = off (a crash of the machine may damage the database)". It is
// empty for an engine that does not know.
func GivenUp(e Engine, settings map[string]string) []string {
	reader := CapabilitiesOf(e).Durability
	if reader == nil {
		return nil
	}
	var out []string
	for _, d := range reader.DurabilitySettings() {
		for name, value := range settings {
			if sameSetting(name, d.Name) && !slices.Contains(d.Safe, plainValue(value)) {
				out = append(out, fmt.Sprintf("%s = %s (%s)", d.Name, value, d.Loses))
			}
		}
	}
	slices.Sort(out)
	return out
}

// sameSetting compares names as servers do: in any case, with - for _, and with
// the prefix that makes a setting optional.
func sameSetting(name, declared string) bool {
	name = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "-", "_")
	return strings.TrimPrefix(name, "loose_") == declared
}

// plainValue writes the ways to spell a switch as "on" or "off", and other values
// in small letters.
func plainValue(value string) string {
	v := strings.ToLower(strings.Trim(strings.TrimSpace(value), `'"`))
	switch {
	case v == "1" || v == "on" || v != "" && (strings.HasPrefix("true", v) || strings.HasPrefix("yes", v)):
		return "on"
	case v == "0" || len(v) > 1 && strings.HasPrefix("off", v) || v != "" && (strings.HasPrefix("false", v) || strings.HasPrefix("no", v)):
		return "off"
	}
	return v
}

// DurabilityNames lists the settings that an engine declares.
func DurabilityNames(r DurabilityReader) (names []string) {
	for _, d := range r.DurabilitySettings() {
		names = append(names, d.Name)
	}
	return names
}
