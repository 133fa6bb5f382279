package api

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"
)

func TestNamesAreValidAndDifferent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.StringMatching(`[A-Za-z0-9_.-]{0,80}`).Draw(t, "b")
		for _, text := range []string{a, b} {
			if wrong := validation.IsDNS1035Label(Name(text)); len(wrong) > 0 {
				t.Errorf("Name(%q) is %q: %v", text, Name(text), wrong)
			}
			if wrong := validation.IsValidLabelValue(LabelValue(text)); len(wrong) > 0 {
				t.Errorf("LabelValue(%q) is %q: %v", text, LabelValue(text), wrong)
			}
		}
		if sameLabel := LabelValue(a) == LabelValue(b); a != b && (sameLabel || Name(a) == Name(b) && !strings.EqualFold(a, b)) {
			t.Errorf("%q and %q get one name: %q, %q", a, b, Name(a), LabelValue(a))
		}
	})
}

func TestNamesThatAreValidStay(t *testing.T) {
	for _, text := range []string{"t3-db-007", "plimsoll-cns-ds3-abcdefgh"} {
		if Name(text) != text || LabelValue(text) != text {
			t.Errorf("%s became %s, %s", text, Name(text), LabelValue(text))
		}
	}
	if got := Name("T3", "db_007"); !strings.HasPrefix(got, "t3-db-007-") {
		t.Errorf("a name of parts is %s", got)
	}
}
