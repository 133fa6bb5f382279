package study

import (
	"fmt"
	"slices"
	"strconv"
)

// FaultProblem is a fault that a study cannot have.
type FaultProblem struct {
	Path   string // faults.0.do
	Fault  string // fault 1 at 3s
	Reason string
}

// FaultProblems lists the faults that some rung does not have the instance
// for, or that the platform or the storage class of some variant cannot do. Each is
// listed once.
func (s *Study) FaultProblems(variants []Variant) []FaultProblem {
	var all []FaultProblem
	c := faultChecker{study: s, variants: variants}
	for i, f := range s.Faults {
		if reason := c.refuses(f.Do); reason != "" {
			all = append(all, FaultProblem{fmt.Sprintf("faults.%d.do", i), fmt.Sprintf("fault %d at %s", i+1, f.At), reason})
		}
	}
	if end := s.Phases.End; end == CutPower {
		if reason := s.cannot(end, c.ofClass, variants); reason != "" {
			all = append(all, FaultProblem{"phases.end", "the end of the load", reason})
		}
	}
	return all
}

// faultChecker checks the faults of a study one after the other.
type faultChecker struct {
	study               *Study
	variants            []Variant
	ofClass, ofPlatform []string // the actions so far
}

// refuses says why the study cannot have an action after those that it was asked about.
func (c *faultChecker) refuses(do string) string {
	s := c.study
	if do == "" {
		return "the fault has no action"
	}
	if a := ParseAction(do); a.Verb == KillInstance {
		return s.lacks(a, c.variants)
	}
	if a := s.platform().parseFault(do); a.Verb != "" {
		before := c.ofPlatform
		c.ofPlatform = append(c.ofPlatform, do)
		return s.platformCannot(do, a, before, c.variants)
	}
	before := c.ofClass
	c.ofClass = append(c.ofClass, do)
	if reason := s.cannot(do, before, c.variants); reason != "" {
		return reason + s.faultsElsewhere(do)
	}
	return ""
}

// platform returns the vocabulary's entry for the study's platform.
func (s *Study) platform() VocabularyEntry { return s.vocabulary.Platforms[s.Platform.Name] }

func (t VocabularyEntry) parseFault(do string) Action {
	if t.ParseFault == nil {
		return Action{}
	}
	return t.ParseFault(do)
}

// platformCannot says why an action that has a verb of the platform cannot be done.
func (s *Study) platformCannot(do string, a Action, before []string, variants []Variant) string {
	kind, parameters := s.platform(), s.Platform.Parameters
	if parameters == nil || kind.Validate != nil && len(kind.Validate(parameters)) > 0 {
		return "" // that is already noted
	}
	if err := kind.CheckFault(parameters, do, before); err != nil {
		return fmt.Sprintf("platform %s does not support %q: %v", s.Platform.Name, do, err)
	}
	if a.Part != "" {
		return ""
	}
	return s.lacks(a, variants)
}

// faultsElsewhere says which platform has an action that no storage class has.
func (s *Study) faultsElsewhere(do string) string {
	for _, name := range sortedKeys(s.vocabulary.Platforms) {
		if s.vocabulary.Platforms[name].parseFault(do).Verb != "" {
			return fmt.Sprintf("; it is a fault of platform %s: add `platform: %s` to the study", name, name)
		}
	}
	if here := s.platform(); here.CheckFault != nil {
		if err := here.CheckFault(s.Platform.Parameters, do, nil); err != nil {
			return fmt.Sprintf("; platform %s: %v", s.Platform.Name, err)
		}
	}
	return ""
}

// lacks says that the smallest rung does not have the instance that an action is
// about, or the instances of some variant do not have its role.
func (s *Study) lacks(a Action, variants []Variant) string {
	if len(s.Members) > 0 {
		return "each member numbers its own instances, so that a fault cannot name one of them"
	}
	reason := s.lacksInstance(a.Instance)
	if reason == "" && a.Role != "" {
		reason = s.lacksRole(a.Role, variants)
	}
	return reason
}

// lacksInstance says that the smallest rung does not have an instance.
func (s *Study) lacksInstance(n int) string {
	smallest := s.Ladder.From
	if !s.Ladder.Auto && len(s.Ladder.Rungs) > 0 {
		smallest = s.Ladder.Rungs[0]
	}
	smallest = s.Ladder.Instances(smallest)
	switch {
	case n >= 0 && n < smallest:
		return ""
	case smallest == 1:
		return fmt.Sprintf("instance %d does not exist at the rung of 1 instance, only 0", n)
	}
	return fmt.Sprintf("instance %d does not exist at the rung of %d instances, only 0 to %d", n, smallest, smallest-1)
}

// lacksRole says that the instances of some variant have no servers of a role which
// are ours to kill.
func (s *Study) lacksRole(role string, variants []Variant) string {
	for _, v := range variants {
		roles := s.vocabulary.Workloads[v.Workload.Name].roles(v.Workload.Parameters, v.names)
		if len(roles) == 0 {
			continue // that is already noted
		}
		if !slices.ContainsFunc(roles, func(r Role) bool { return r.Name == role }) {
			return fmt.Sprintf("the instances of variant %s have no servers of role %q, only %s", v.Name, role, namesOf(roles))
		}
		if v.Server(role).Existing != nil {
			return fmt.Sprintf("the server of role %s is an existing one, which is not killed", role)
		}
	}
	return ""
}

// cannot says why the storage class of the first variant that cannot do an
// action cannot.
func (s *Study) cannot(do string, before []string, variants []Variant) string {
	for _, v := range variants {
		kind, known := s.vocabulary.Classes[v.Storage.Class]
		switch {
		case !known || v.Storage.Parameters == nil || kind.Validate != nil && len(kind.Validate(v.Storage.Parameters)) > 0:
			continue // that is already noted
		case kind.CheckFault == nil:
			return fmt.Sprintf("storage %s is of class %s, which does not support fault %q; every class supports %q", v.StorageName, v.Storage.Class, do, KillInstance+" N")
		}
		if err := kind.CheckFault(v.Storage.Parameters, do, before); err != nil {
			return fmt.Sprintf("storage %s does not support %q: %v", v.StorageName, do, err)
		}
	}
	return ""
}

// faults checks their times, and what they do to each variant.
func (c *checker) faults() {
	for i, f := range c.study.Faults {
		path := "faults." + strconv.Itoa(i) + ".at"
		if f.At >= c.study.Phases.Measure && !c.unread("phases.measure") {
			c.wrong(path, fmt.Sprintf("%s is not within the measured phase, which ends after %s", f.At, c.study.Phases.Measure), "less than phases.measure")
		}
		if i > 0 && f.At < c.study.Faults[i-1].At {
			c.wrong(path, fmt.Sprintf("%s is listed after %s", f.At, c.study.Faults[i-1].At), "faults in chronological order")
		}
	}
	variants, err := c.study.Expand()
	if err != nil {
		return // the matrix is impossible; that is already noted
	}
	for _, p := range c.study.FaultProblems(variants) {
		c.wrong(p.Path, p.Reason, "")
	}
}
