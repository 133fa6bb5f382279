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

// Texts with the same form and names differ in their figures alone. Texts of another
// format, or with another text as operand, have another form.
func TestSayKnowsItsFormAndNames(t *testing.T) {
	say := func(disk string, n int) Phrase { return Say("%s did %d", disk, n) }
	one, other := say("disk 3", 12), say("disk 4", 7)
	if one.Form != other.Form || !slices.Equal(one.Names, []string{"disk 3"}) || !slices.Equal(other.Names, []string{"disk 4"}) {
		t.Errorf("%+v, %+v", one, other)
	}
	if did := Say("%s had %d", "disk 3", 12); did.Form == one.Form {
		t.Errorf("%+v has the form of %+v", did, one)
	}
	within, without := Say("it says: %s", one), Say("it says: %s", Say("nothing"))
	if within.Form == without.Form || !slices.Equal(within.Names, one.Names) {
		t.Errorf("%+v, %+v", within, without)
	}
	read := func(n string) Phrase {
		return Say("it says: %s", Phrase{Text: "late by " + n, Figures: []Figure{{At: 8, Length: len(n), Value: 1}}})
	}
	if a, b := read("12 ms"), read("3 s"); a.Form != b.Form || !slices.Equal(a.Names, []string{"late by #"}) || !slices.Equal(b.Names, a.Names) {
		t.Errorf("%+v, %+v", a, b)
	}
}

func TestTextsAreJoinedWithTheirFigures(t *testing.T) {
	at := func(n int) Phrase { return Say("all at %d", n) }
	for want, items := range map[string][]Phrase{"": nil, "all at 1": {at(1)}, "all at 1, all at 2 and all at 3": {at(1), at(2), at(3)}} {
		if got := JoinSaid(items); got.Text != want || len(got.Figures) != len(items) {
			t.Errorf("%+v, want %q", got, want)
		}
	}
}
