package report

import (
	"testing"

	"plimsoll/internal/analysis"
)

// A variant has one label, in tables and sentences.
func TestSentencesHaveLabels(t *testing.T) {
	a := &analysis.Analysis{Variants: []analysis.Variant{{Name: "none-offload-on-256b", Label: "offload on, 256B"}, {Name: "ssd-x", Label: "ssd"}, {Name: "bare"}}}
	for text, want := range map[string]string{
		"`none-offload-on-256b` carries 3": "“offload on, 256B” carries 3",
		"`ssd-x`, `bare` and `a setting`":  "ssd, bare and a setting",
	} {
		if got := Said(a, text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	m := &markdown{labels: labelsOf(a)}
	if got := string(m.prose("`ssd-x` and `none-offload-on-256b`")); got != "`ssd` and “offload on, 256B”" {
		t.Error(got)
	}
}
