package inrange_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/text/inrange"
)

type leaf struct {
	At   int    `json:"at"`
	Kind string `json:"kind" oneof:"cpu memory"`
}

type tree struct {
	Rung   int              `json:"rung" within:"1..100"`
	Rungs  []int            `json:"rungs" within:"1..100"`
	Share  float64          `json:"share" within:"0..1"`
	Counts map[string]int64 `json:"counts"`
	Took   time.Duration    `json:"took"`
	When   time.Time        `json:"when"`
	Leaves []*leaf          `json:"leaves"`
	Any    any              `json:"any"`
	Seed   uint64           `json:"seed"`
	leaf
}

func good() tree {
	return tree{
		Rung: 1, Rungs: []int{1, 100}, Share: 1, Counts: map[string]int64{"x": 1 << 60}, Took: 20 * 365 * 24 * time.Hour,
		When: time.Date(2199, 1, 1, 0, 0, 0, 0, time.UTC), Leaves: []*leaf{nil, {At: -1, Kind: "memory"}, {}}, Any: map[string]any{"a": []any{1e24}}, Seed: math.MaxUint64,
	}
}

// A number that is just in range is none to complain about.
func TestNumbersInRange(t *testing.T) {
	for _, v := range []tree{good(), {Rung: 100}} {
		if err := inrange.Check(&v); err != nil {
			t.Error(err)
		}
	}
}

// A number that is out of range is named with its field.
func TestNumbersOutOfRange(t *testing.T) {
	for want, change := range map[string]func(*tree){
		"rung is 0; it must be from 1 to 100":            func(v *tree) { v.Rung = 0 },
		"rungs[1] is 101":                                func(v *tree) { v.Rungs[1] = 101 },
		"share is 1.5; it must be from 0 to 1":           func(v *tree) { v.Share = 1.5 },
		"counts.x is 9223372036854775807":                func(v *tree) { v.Counts["x"] = math.MaxInt64 },
		"took is 9223372036854775807":                    func(v *tree) { v.Took = math.MaxInt64 },
		"when is 9000-01-01T00:00:00Z":                   func(v *tree) { v.When = time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"leaves[1].at is 9223372036854775807":            func(v *tree) { v.Leaves[1].At = math.MaxInt64 },
		`leaves[1].kind is "gpu"; it must be one of cpu`: func(v *tree) { v.Leaves[1].Kind = "gpu" },
		"any.a[0] is 1e+300":                             func(v *tree) { v.Any = map[string]any{"a": []any{1e300}} },
	} {
		v := good()
		change(&v)
		if err := inrange.Check(v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// Endless nesting is refused before the stack overflows.
func TestDepth(t *testing.T) {
	var v any
	if err := json.Unmarshal([]byte(strings.Repeat("[", 5000)+strings.Repeat("]", 5000)), &v); err != nil {
		t.Fatal(err)
	}
	if err := inrange.Check(v); err == nil || !strings.Contains(err.Error(), "levels") {
		t.Error(err)
	}
}
