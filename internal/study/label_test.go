package study_test

import (
	"strings"
	"testing"

	"plimsoll/internal/study"
)

func TestLabelOfAStorage(t *testing.T) {
	const text = `study: labelled
workload: {name: shop}
engine: {name: postgres}
storage:
  fast: {class: disk, label: LABEL}
ladder: [1]
objectives: ["p95 <= 1s"]
`
	s, err := study.Parse("x.yaml", []byte(strings.Replace(text, "LABEL", `"NVMe, XFS"`, 1)), "", vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Storage["fast"].Label; got != "NVMe, XFS" {
		t.Errorf("the label is %q", got)
	}
	for _, label := range []string{`"two\nlines"`, strings.Repeat("long", 11)} {
		if _, err := study.Parse("x.yaml", []byte(strings.Replace(text, "LABEL", label, 1)), "", vocabulary()); err == nil {
			t.Errorf("%s is taken", label)
		}
	}
}
