package main

import (
	"os"
	"slices"
	"testing"

	"plimsoll/test/layers"
)

func TestThePictureIsThatOfTheCode(t *testing.T) {
	packages, err := layers.Packages()
	if err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile("../../../docs/architecture.svg")
	if err != nil {
		t.Fatal(err)
	}
	if draw(graphOf(packages)) != string(committed) {
		t.Error("docs/architecture.svg is not what the code gives: make map")
	}
}

func TestFloorsAndDirectImports(t *testing.T) {
	g := graph{"cli": {"report", "text", "study"}, "report": {"study"}, "study": {"text"}, "text": nil}
	if g.floor("cli") != 3 || g.floor("text") != 0 {
		t.Errorf("floors %d and %d", g.floor("cli"), g.floor("text"))
	}
	if all := g.direct("cli"); !slices.Equal(all, []string{"report"}) {
		t.Errorf("direct imports %v", all)
	}
}
