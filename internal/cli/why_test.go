package cli

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/provenance"
	"plimsoll/test/quick"
)

// The chain of a recorded run agrees with its report: each verdict has its sentence, its load
// line has the trials of the rungs, the bottleneck has the figures of its resource, and the grade
// has its bound, with a line for each doubt.
func TestWhyLeadsToTheEvidence(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	runs := unpacked(t, recorded)
	s := newSite(t)
	for _, dir := range runs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			var doc struct{ Analysis analysis.Analysis }
			if err := json.Unmarshal([]byte(s.reported(dir)), &doc); err != nil {
				t.Fatal(err)
			}
			code, out, errs := s.plimsoll("why", dir, "--json")
			var c provenance.Chain
			if err := json.Unmarshal([]byte(out), &c); code != 0 || err != nil {
				t.Fatalf("code %d, %v: %s", code, err, errs)
			}
			a := doc.Analysis
			if c.Answer != a.Headline || c.Grade.Grade != a.Grade || !cmp.Equal(c.Grade.Bound, a.Bound) || len(c.Verdicts) != len(a.Variants) {
				t.Errorf("the chain %+v is not that of the report", c)
			}
			deciding := 0
			for i, v := range c.Verdicts {
				deciding += holds(t, v, a, a.Variants[i])
			}
			if c.Audit.Trials != deciding || c.Audit.Passed > deciding {
				t.Errorf("%d trials decide, and the audit is of %+v", deciding, c.Audit)
			}
			_, text, _ := s.plimsoll("why", dir)
			wanted := []string{"Audit", "Grade", c.Verdicts[0].Rungs[0].Trials[0].ID}
			if a.Bound != nil {
				for _, d := range a.Bound.Doubts {
					wanted = append(wanted, strings.ToUpper(d.Text[:1])+d.Text[1:]+": ")
				}
			}
			for _, want := range wanted {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing in\n%s", want, text)
				}
			}
		})
	}
}

// holds compares a verdict with what the analysis has of its variant, and gives how many trials
// that passed it rests on.
func holds(t *testing.T, v provenance.Verdict, a analysis.Analysis, of analysis.Variant) (trials int) {
	t.Helper()
	if !slices.ContainsFunc(a.Verdict, func(s analysis.Sentence) bool { return s.Variant == v.Variant && s.Text == v.Text }) {
		t.Errorf("%s: the report does not say %q", v.Variant, v.Text)
	}
	for _, r := range v.Rungs {
		if of.LoadLine.Rung+of.LoadLine.Next > 0 && r.Instances != of.LoadLine.Rung && r.Instances != of.LoadLine.Next {
			t.Errorf("%s: rung %d does not decide", v.Variant, r.Instances)
		}
		for _, one := range r.Trials {
			at := slices.IndexFunc(a.Trials, func(info analysis.TrialInfo) bool { return info.ID == one.ID })
			if at < 0 || a.Trials[at].Status == analysis.LeftOut || a.Trials[at].Throughput != one.Throughput {
				t.Errorf("%s: trial %+v is not that of the report", v.Variant, one)
			} else if one.Status == "passed" {
				trials++
			}
		}
	}
	if b := v.Bottleneck; b != nil && b.Cause.Resource != "" && (b.Resource == nil || b.Resource.Name != b.Cause.Resource) {
		t.Errorf("%s: the bottleneck %+v has not the figures of its resource", v.Variant, b)
	}
	return trials
}
