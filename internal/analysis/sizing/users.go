package sizing

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"plimsoll/internal/analysis/say"
	"plimsoll/internal/analysis/say/warning"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/text/words"
)

// Store is how many drives of the kind that a basis was measured on carry the users of a demand.
type Store struct {
	Basis    string         `json:"basis"`     // the result whose load line was scaled
	Unit     string         `json:"unit"`      // the unit counted: drive, or store if the run knows of no drives
	Measured int            `json:"measured"`  // units that the line was measured on
	LoadLine stats.Interval `json:"load_line"` // users that these carry, the least that is certain as its lower end
	Line     string         `json:"line"`      // the same in words
	// Count is the fewest units that carry the users and the headroom, allowing for the
	// loss where units work together. Least is how many would do without any loss. Both are
	// 0 if there is a refusal.
	Count   int             `json:"count,omitempty"`
	Least   int             `json:"least,omitempty"`
	Carries *stats.Interval `json:"carries,omitempty"` // users on Count units; nil where there is a refusal
	Refusal *FiredRule      `json:"refusal,omitempty"` // why more units do not help; nil where they do
	Rules   []FiredRule     `json:"rules"`             // that shaped it
}

// mostUnits ends the search: a power of two that no demand comes to.
const mostUnits = 1 << 50

// checkUsers reports every impossible value of a demand for users: nothing in a run of users on
// drives tells of servers and their protection.
func (d *Demand) checkUsers() error {
	var problems []error
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			problems = append(problems, fmt.Errorf(format, args...))
		}
	}
	bad(d.Users < 1 || d.Users > mostInstances, "users: %d; at least one, and at most %d", d.Users, mostInstances)
	bad(!(d.Headroom >= 0 && d.Headroom <= 1-leastFill), "headroom: %s; from 0%% to 99%%", shareText(d.Headroom))
	for _, key := range []struct {
		name string
		set  bool
	}{
		{"instances", d.Instances != 0}, {"profile", d.Profile != ""}, {"capacity", d.Capacity != 0}, {"growth", d.Growth != 0},
		{"years", d.Years != 0}, {"fill", d.Fill != 0}, {"survive", d.Survive != 0}, {"pilot", d.Pilot}, {"servers", len(d.Servers) > 0},
		{"protections", len(d.Protections) > 0}, {"currency", d.Currency != ""}, {"fixed_price", d.Fixed != 0},
	} {
		bad(key.set, "%s: not with users, for which drives are counted: their room, protection and price are not", key.name)
	}
	bad(len(d.Basis) == 0, "basis: missing: how many users a drive carries is taken from a run")
	for i, b := range d.Basis {
		bad(b.Of == "" || b.Variant == "" || b.Drives < 0 || b.Drives > mostMeasured, "basis[%d]: of and variant must be given, and drives not below 0 or above %d", i, mostMeasured)
		bad(b.Nodes != 0 || b.Server != "", "basis[%d]: nodes and server are not for users; give the drives that it was measured on as drives", i)
	}
	return errors.Join(problems...)
}

// forUsers is a basis of drives. Only the measured rung is certain, within the scatter of
// its repetitions.
func (b Basis) forUsers() (Basis, error) {
	switch {
	case b.Noun == "instance":
		return b, fmt.Errorf("size from %s: its ladder counts instances and not users; write instances in place of users", b.Name)
	case b.Objectives == "":
		return b, fmt.Errorf("size from %s: its study has no objectives, so that no load line was found", b.Name)
	}
	low := float64(b.Rung)
	if b.LoadLine.Confidence > 0 {
		low = min(low, math.Floor(b.LoadLine.Low))
	}
	if low < 1 {
		return b, fmt.Errorf("size from %s: its repetitions do not show that it carries a single %s; measure more of them", b.Name, b.Noun)
	}
	b.LoadLine.Low = low
	return b, nil
}

// sizeUsers says of each basis how many drives carry the users, the fewest first.
func sizeUsers(d *Demand, bases []Basis) (*Sizing, error) {
	s := &Sizing{Demand: d, Proposals: []Proposal{}, Rejected: []Rejection{}, Warnings: []trust.Warning{}}
	var problems []error
	for _, b := range bases {
		b, err := b.forUsers()
		if err != nil {
			problems = append(problems, err)
			continue
		}
		s.Stores = append(s.Stores, b.store(d))
		s.Warnings = append(s.Warnings, b.doubts...)
		if store := s.Stores[len(s.Stores)-1]; b.Limiting == "" && store.Count > b.Nodes {
			s.assume(b, store.Unit)
		}
	}
	if problems != nil {
		return nil, errors.Join(problems...)
	}
	s.Warnings = append(s.Warnings, trust.Warn(trust.Room, trust.Note, trust.RoomAndNetwork))
	sort.SliceStable(s.Stores, func(i, j int) bool {
		a, b := s.Stores[i], s.Stores[j]
		return a.Count > 0 && (b.Count == 0 || a.Count < b.Count)
	})
	for i, store := range s.Stores {
		s.Text = append(s.Text, store.sentence(d, bases[0].Noun, i == 0))
	}
	warning.Write(s.Warnings)
	return s, nil
}

// store counts the units of a basis.
func (b Basis) store(d *Demand) Store {
	s := Store{Basis: b.Name, Unit: b.unit(), Measured: b.Nodes, LoadLine: b.LoadLine, Line: b.lineText()}
	fire := func(rule, source, format string, args ...any) {
		s.Rules = append(s.Rules, FiredRule{Rule: rule, Text: say.F(format, args...), Source: source})
	}
	fire("performance", b.Name, "%s %s within %s; what is counted on is %s", s.carry(b.Nodes), s.Line, b.Objectives, words.Thousands(b.LoadLine.Low))
	asked := math.Ceil(float64(d.Users)/(1-float64(d.Headroom)) - 1e-9)
	if d.Headroom > 0 {
		fire("headroom", "the demand", "%s with %s to spare are %s", say.Count(d.Users, b.Noun), words.Percent(float64(d.Headroom)), say.Count(int(asked), b.Noun))
	}
	if !b.storageBound() && b.LoadLine.Low < asked {
		s.Refusal = &FiredRule{Rule: "performance", Source: b.Name,
			Text: say.F("%s carries %s, limited by %s, which more %ss do not relieve, and %s are required", b.Name, s.Line, b.Limiting, s.Unit, words.Thousands(asked))}
		return s
	}
	s.Count = sort.Search(mostUnits, func(n int) bool { return n > 0 && b.carries(n).Low >= asked })
	s.Least = max(1, int(math.Ceil(asked*float64(b.Nodes)/b.LoadLine.Low-1e-9)))
	carries := b.carries(s.Count)
	s.Carries = &carries
	switch {
	case s.Count > b.Nodes:
		fire("scaling", "an assumption", "%d in one store carry at least %s: twice as many carry at least 1.74 times as much. If each has a copy of the data and users of its own, nothing is lost, and %d are enough",
			s.Count, words.Thousands(carries.Low), s.Least)
	case s.Count < b.Nodes:
		fire("scaling", "an assumption", "fewer than were measured are taken to carry in proportion at least")
	}
	return s
}

func (b Basis) unit() string {
	if b.Drives {
		return "drive"
	}
	return "store"
}

// lineText is the load line in words, with its unit.
func (b Basis) lineText() string {
	if b.Open {
		return say.F("at least %s", say.Count(b.Rung, b.Noun))
	}
	return say.Count(int(b.LoadLine.Value), b.Noun)
}

// sentence is the answer of a basis in words; noun is what the demand counts.
func (s Store) sentence(d *Demand, noun string, first bool) string {
	if s.Refusal != nil {
		return words.Capital(s.Refusal.Text) + "."
	}
	users := say.Count(d.Users, noun)
	head := say.F("%s need", users)
	if !first {
		head = say.F("Or")
	}
	text := say.F("%s %s such as that of %s", head, say.Count(s.Count, s.Unit), s.Basis)
	if math.IsInf(s.Carries.High, 1) {
		text = say.F("%s at most %s such as that of %s, whose load line was not found", head, say.Count(s.Count, s.Unit), s.Basis)
	}
	if s.Least < s.Count {
		text += say.F(", or %d if nothing is lost between them", s.Least)
	}
	return text + "; " + s.carry(s.Count) + " " + LineText(*s.Carries) + "."
}

// carry is the beginning of a sentence about so many units.
func (s Store) carry(n int) string {
	if n == 1 {
		return say.F("1 %s carries", s.Unit)
	}
	return say.F("%s carry", say.Count(n, s.Unit))
}
