package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"time"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/rung"
	"plimsoll/internal/text/words"
)

// The elements of JUnit's XML that readers of continuous integration know.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name      string      `xml:"name,attr"`
		Tests     int         `xml:"tests,attr"`
		Failures  int         `xml:"failures,attr"`
		Errors    int         `xml:"errors,attr"`
		Skipped   int         `xml:"skipped,attr"`
		Timestamp string      `xml:"timestamp,attr,omitempty"`
		Facts     []junitFact `xml:"properties>property,omitempty"`
		Cases     []junitCase `xml:"testcase"`
	}
	junitFact struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Failure *junitNo `xml:"failure"`
		Error   *junitNo `xml:"error"`
		Skipped *junitNo `xml:"skipped"`
		Output  string   `xml:"system-out,omitempty"`
	}
	junitNo struct {
		Message string `xml:"message,attr"`
	}
)

// JUnit writes the objectives as JUnit's XML: a suite for each variant, and in it a test for each
// objective at each rung. One that was missed has failed; one that was not recorded is skipped. A
// rung that broke by something else, such as failed trials, is a test of its own, and an error. Each
// suite has the grade of the run as a property, and how far the answer may be off.
func JUnit(w io.Writer, a *analysis.Analysis) error {
	all := junitSuites{Name: cmp.Or(a.Study.Title, a.Study.Name)}
	for _, v := range a.Variants {
		s := junitOf(a, v)
		all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
		all.Suites = append(all.Suites, s)
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("writing the objectives as JUnit's XML: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

func junitOf(a *analysis.Analysis, v analysis.Variant) junitSuite {
	s := junitSuite{Name: cmp.Or(v.Label, v.Name)}
	if !a.Run.Started.IsZero() {
		s.Timestamp = a.Run.Started.UTC().Format(time.RFC3339)
	}
	if a.Grade != "" {
		s.Facts = []junitFact{{"grade", a.Grade}, {"bound", Plain(labelled(boundLine(a), labelsOf(a)))}}
	}
	for _, r := range v.Rungs {
		class := a.Study.Name + "." + v.Name + "." + strconv.Itoa(r.Instances)
		at := words.Count(r.Instances, cmp.Or(a.Study.Noun, "instance"))
		if r.Breaks != "" || r.Repetitions == 0 {
			s.add(junitCase{Class: class, Name: at + " run", Error: &junitNo{cmp.Or(r.Breaks, "no trial passed")}})
		}
		for _, o := range r.Objectives {
			if r.Repetitions > 0 {
				s.add(junitObjective(class, at, o))
			}
		}
	}
	return s
}

func junitObjective(class, at string, o rung.ObjectiveResult) junitCase {
	c := junitCase{Class: class, Name: at + ": " + o.Text}
	measured := o.Metric + " was " + objectiveValue(o)
	switch {
	case o.Unknown:
		c.Skipped = &junitNo{"the trials did not record it"}
	case !o.Kept:
		c.Failure = &junitNo{measured}
	default:
		c.Output = measured
	}
	return c
}

// add counts a test by how it ended.
func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
}
