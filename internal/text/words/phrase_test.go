package words

import (
	"fmt"
	"slices"
	"testing"
)

func TestSayKnowsItsFigures(t *testing.T) {
	inner := Say("%d µs of %s", 12, "disk 3")
	args := []any{"peer1", Amount{0.00018, "180 µs"}, 7.4, inner}
	s := Say("%s was late by %s (%+.0f %%), %s", args...)
	if want := "peer1 was late by 180 µs (+7 %), 12 µs of disk 3"; s.Text != want {
		t.Errorf("%q, want %q", s.Text, want)
	}
	var parts []string
	for _, f := range s.Figures {
		parts = append(parts, fmt.Sprint(string([]rune(s.Text)[f.At:f.At+f.Length]), "=", f.Value))
	}
	if want := []string{"180 µs=0.00018", "+7=7.4", "12=12"}; !slices.Equal(parts, want) {
		t.Errorf("figures %q, want %q", parts, want)
	}
}

// Names are the operands that are no numbers, those of a text within included.
func TestSayKnowsItsNames(t *testing.T) {
	one := Say("%s did %d", "disk 3", 12)
	if within := Say("%s says: %s", "peer1", one); !slices.Equal(within.Names, []string{"peer1", "disk 3"}) || one.WithoutFigures() != "disk 3 did #" {
		t.Errorf("%+v", within)
	}
}
