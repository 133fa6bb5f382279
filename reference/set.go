package reference

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/goccy/go-yaml"

	"plimsoll/internal/study"
	"plimsoll/internal/study/claim"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/text/words"
)

// Set is one published experiment.
type Set struct {
	Name     string   `yaml:"reference"`
	Title    string   `yaml:"title"`
	Question string   `yaml:"question,omitempty"`
	Citation Citation `yaml:"citation"`
	// Workload is the name of the workload that re-enacts it.
	Workload string `yaml:"workload"`
	Dataset  string `yaml:"dataset,omitempty"`
	// Unit is what throughput is given in: OPM, MB/s, files/s, ops/s.
	Unit string `yaml:"unit"`
	// Noun names what the ladder counts where that is not instances.
	Noun       string        `yaml:"noun,omitempty"`
	Warmup     unit.Duration `yaml:"warmup,omitempty"`
	Measure    unit.Duration `yaml:"measure,omitempty"`
	Load       Users         `yaml:"load,omitempty"`
	Objectives []string      `yaml:"objectives,omitempty"` // as in studies
	Variants   []Variant     `yaml:"variants"`
	Prices     *study.Prices `yaml:"prices,omitempty"`
	// Claims are the authors' conclusions, to be reproduced.
	Claims []study.Claim `yaml:"claims,omitempty"`
	// Figures were published as well: resources, shares, percentiles, times.
	Figures []Figure `yaml:"figures,omitempty"`
	Notes   []string `yaml:"notes,omitempty"`
}

// Figure is one published figure that is no point of a ladder.
type Figure struct {
	Of    string  `yaml:"of"` // "CPU of the hosts at 36 tiles"
	Value float64 `yaml:"value"`
	Unit  string  `yaml:"unit"`
	Place string  `yaml:"place"`
}

// String writes a figure for a reader.
func (f Figure) String() string {
	return fmt.Sprintf("%s: %s %s (%s)", f.Of, words.Number(f.Value), f.Unit, f.Place)
}

// Remarks are the notes for a reader, with the figures that no point has.
func (s *Set) Remarks() []string {
	all := slices.Clone(s.Notes)
	for _, f := range s.Figures {
		all = append(all, "Published too: "+f.String()+".")
	}
	return all
}

// Citation says where the figures come from.
type Citation struct {
	Document  string `yaml:"document"`
	Publisher string `yaml:"publisher"`
	Date      string `yaml:"date"` // 2018-04
	Place     string `yaml:"place"`
}

// String writes the citation for a reader.
func (c Citation) String() string {
	return fmt.Sprintf("%s, “%s” (%s), %s", c.Publisher, c.Document, c.Date, c.Place)
}

// Time is the date of publication, zero when it cannot be read.
func (c Citation) Time() time.Time {
	for _, layout := range []string{"2006-01-02", "2006-01", "2006"} {
		if t, err := time.Parse(layout, c.Date); err == nil {
			return t
		}
	}
	return time.Time{}
}

// Users is how many users each instance had and how they paused.
type Users struct {
	Users     int           `yaml:"users,omitempty"`
	ThinkTime unit.Duration `yaml:"think_time,omitempty"`
}

// Variant is one published configuration.
type Variant struct {
	Name    string            `yaml:"name"`
	Factors map[string]string `yaml:"factors"`
	Media   string            `yaml:"media,omitempty"`
	Text    string            `yaml:"text,omitempty"`
	// Protection is how the data survive a failure: "replica 3".
	Protection string `yaml:"protection,omitempty"`
	// Drives is how many drives the configuration has, for figures per drive.
	Drives int     `yaml:"drives,omitempty"`
	Rated  float64 `yaml:"rated,omitempty"` // MB/s of one drive, according to its maker
	Points []Point `yaml:"points"`
}

// Point is one published figure, or why there is none.
type Point struct {
	At         int     `yaml:"at"`
	Throughput float64 `yaml:"throughput,omitempty"`
	// Mean is the mean response time in milliseconds, 0 where it was not given.
	Mean float64 `yaml:"mean,omitempty"`
	// Payload is MB/s, where throughput counts operations that move bytes.
	Payload float64 `yaml:"payload,omitempty"`
	// Failed says why there is no figure.
	Failed string `yaml:"failed,omitempty"`
}

// Parse reads a set strictly: unknown fields, missing citations and figures
// that are no numbers are refused with their place.
func Parse(file string, data []byte) (*Set, error) {
	var s Set
	if err := yaml.UnmarshalWithOptions(data, &s, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("read reference %s: %w", file, err)
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("read reference %s: %w", file, err)
	}
	return &s, nil
}

func (s *Set) check() error {
	switch {
	case s.Name == "" || s.Title == "" || s.Workload == "" || s.Unit == "":
		return fmt.Errorf("reference, title, workload and unit must be given")
	case s.Citation.Document == "" || s.Citation.Publisher == "" || s.Citation.Place == "" || s.Citation.Time().IsZero():
		return fmt.Errorf("the citation must name document, publisher, date (2018-04) and place")
	case len(s.Variants) == 0:
		return fmt.Errorf("there are no variants")
	}
	for _, o := range s.Objectives {
		if _, err := study.ParseObjective(o); err != nil {
			return err
		}
	}
	for _, c := range s.Claims {
		if err := claim.Check(c.Predicate); err != nil {
			return fmt.Errorf("claim %q: %w", c.Predicate, err)
		}
		if c.Text == "" || c.Place == "" {
			return fmt.Errorf("claim %q needs a text and a place", c.Predicate)
		}
	}
	for _, f := range s.Figures {
		if f.Of == "" || f.Unit == "" || f.Place == "" || math.IsNaN(f.Value) || math.IsInf(f.Value, 0) {
			return fmt.Errorf("figure %q needs a value, a unit and a place", f.Of)
		}
	}
	seen := map[string]bool{}
	for _, v := range s.Variants {
		if v.Name == "" || seen[v.Name] {
			return fmt.Errorf("variant %q: each needs a name of its own", v.Name)
		}
		seen[v.Name] = true
		if err := v.check(); err != nil {
			return fmt.Errorf("variant %q: %w", v.Name, err)
		}
	}
	return nil
}

func (v Variant) check() error {
	if len(v.Points) == 0 {
		return fmt.Errorf("there are no points")
	}
	last := 0
	for _, p := range v.Points {
		if p.At <= last {
			return fmt.Errorf("point %d: counts must rise from 1", p.At)
		}
		last = p.At
		for _, f := range []float64{p.Throughput, p.Mean, p.Payload} {
			if math.IsNaN(f) || math.IsInf(f, 0) || f < 0 {
				return fmt.Errorf("point %d: %v is not a figure", p.At, f)
			}
		}
		if (p.Throughput > 0) == (p.Failed != "") {
			return fmt.Errorf("point %d: give either a throughput or why it failed", p.At)
		}
	}
	return nil
}
