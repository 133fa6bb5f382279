package tables

import (
	"reflect"
	"strings"
	"testing"
)

// What a spreadsheet would turn into a date or another number stays as it is written.
func TestCSVKeepsNames(t *testing.T) {
	for _, name := range []string{"1-2", "3/4", "3/4/26", "1.2.2026", "MAR1", "1 Feb", "dec-25", "7:30", "7:30 pm", "3E5", "1e-3", "0012", "50%", "2,5 %", "20261128123456789", "=1", "+x", "-x", "@x"} {
		if got := asText(name); got != "'"+name {
			t.Errorf("%q is written %q", name, got)
		}
	}
	for _, cell := range []string{"", "0", "12", "-1.5", "0.14", "1000000", "0.0000001", "ssd", "hdd/48/3", "8-core", "marble", "march of the drives", "4+2", "10.0.0.1", "1.6.0-rc1", "2026-11-28T09:00:00Z", "true"} {
		if got := asText(cell); got != cell {
			t.Errorf("%q is written %q", cell, got)
		}
	}
	if got := (field{}).text(reflect.ValueOf(1e21)); strings.Contains(got, "e") {
		t.Errorf("a number is written %q", got)
	}
}
