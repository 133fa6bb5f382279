package describe_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/text/unit"
)

type bounded struct {
	Share float64       `yaml:"share" jsonschema:"minimum=0,maximum=100,description=x"`
	Open  float64       `yaml:"open" jsonschema:"exclusiveMinimum=0,exclusiveMaximum=0.5"`
	Count int64         `yaml:"count" jsonschema:"minimum=1"`
	Word  string        `yaml:"word" jsonschema:"enum=a,enum=b"`
	Maybe string        `yaml:"maybe,omitempty" json:"maybe,omitempty" jsonschema:"enum=a,enum=b"`
	Size  unit.Bytes    `yaml:"size" bounds:"4KiB..1GiB" multiple:"4KiB"`
	Wait  unit.Duration `yaml:"wait" bounds:">0s.."`
	free  int
}

func TestBoundsAreWhatTheTagsSay(t *testing.T) {
	fine := func() bounded {
		return bounded{Share: 100, Open: 0.25, Count: 1, Word: "a", Size: 8 << 10, Wait: unit.Duration(time.Second), free: -1}
	}
	for _, c := range []struct {
		change func(*bounded)
		says   string // nothing is allowed
	}{
		{func(*bounded) {}, ""},
		{func(b *bounded) { b.Share = 0 }, ""},
		{func(b *bounded) { b.Share = 100.1 }, "share: must be 0 to 100, got 100.1"},
		{func(b *bounded) { b.Share = math.NaN() }, "share: must be 0 to 100, got NaN"},
		{func(b *bounded) { b.Open = 0 }, "open: must be above 0 and below 0.5, got 0"},
		{func(b *bounded) { b.Open = 0.5 }, "open: must be above 0 and below 0.5, got 0.5"},
		{func(b *bounded) { b.Count = 0 }, "count: must be at least 1, got 0"},
		{func(b *bounded) { b.Count = 1 << 62 }, ""},
		{func(b *bounded) { b.Word = "" }, `word: must be a or b, got ""`},
		{func(b *bounded) { b.Maybe = "b" }, ""},
		{func(b *bounded) { b.Maybe = "c" }, `maybe: must be a or b, got "c"`},
		{func(b *bounded) { b.Size = 1 << 30 }, ""},
		{func(b *bounded) { b.Size = 4097 }, "size: must be 4KiB to 1GiB, a multiple of 4KiB, got 4097B"},
		{func(b *bounded) { b.Size = 0 }, "size: must be 4KiB to 1GiB, a multiple of 4KiB, got 0B"},
		{func(b *bounded) { b.Wait = 0 }, "wait: must be more than 0s, got 0s"},
		{func(b *bounded) { b.Wait = 1 }, ""},
	} {
		b := fine()
		c.change(&b)
		var got []string
		for _, p := range describe.Bounds(&b) {
			got = append(got, p.Path+": "+p.Text)
		}
		if all := strings.Join(got, "; "); all != c.says {
			t.Errorf("%+v: %q, want %q", b, all, c.says)
		}
	}
}

// A bound that nothing can be set to is a mistake of the program.
func TestImpossibleBoundsAreMistakes(t *testing.T) {
	for _, wrong := range []any{
		&struct {
			Size unit.Bytes `yaml:"size" bounds:"much..1GiB"`
		}{},
		&struct {
			Count int `yaml:"count" jsonschema:"minimum=few"`
		}{},
	} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.Contains(said, "a bound of field") {
					t.Errorf("%T: %s", wrong, said)
				}
			}()
			describe.Bounds(wrong)
		}()
	}
}
