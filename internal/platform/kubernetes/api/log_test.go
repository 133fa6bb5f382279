package api

import (
	"strings"
	"testing"
	"time"
)

func TestLinesComeOnce(t *testing.T) {
	var got strings.Builder
	long := strings.Repeat("x", 10000)
	first := "2026-01-01T00:00:01.5Z one\n2026-01-01T00:00:01.6Z " + long + "\n"
	last, err := copyLines(strings.NewReader(first), &got, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	second := first + "2026-01-01T00:00:02Z \n2026-01-01T00:00:03Z end of it"
	if _, err = copyLines(strings.NewReader(second), &got, last); err != nil {
		t.Fatal(err)
	}
	if want := "one\n" + long + "\n\nend of it"; got.String() != want {
		t.Errorf("%q", got.String())
	}
}
