package trial

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/campaign/instance"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
	"plimsoll/internal/text/words"
)

// auditsAtOnce is how many instances are started and audited at once, at first.
const auditsAtOnce = 4

// audit asks every instance whether everything that was acknowledged is there.
// It asks the medium: whatever servers and kernel still have in memory is
// dropped first.
func (t *trial) audit(ctx context.Context) error {
	audited := slices.DeleteFunc(slices.Clone(t.members), func(m *member) bool { return m.result.Unaudited != "" })
	if len(audited) == 0 {
		return nil
	}
	t.begin("audit")
	source, err := t.dropCaches(ctx)
	if err != nil {
		return err
	}
	audit, err := t.examine(ctx, audited, source)
	if err != nil {
		return err
	}
	if err := t.files.Audit(audit); err != nil {
		return err
	}
	if !audit.Summary.Passed {
		return t.keepEvidence(ctx, auditError(audit))
	}
	return nil
}

// auditError says what an audit did not find, and names each member whose audit failed once.
func auditError(audit *result.Audit) error {
	failed := slices.DeleteFunc(slices.Clone(audit.Members), func(m result.Audit) bool { return m.Summary.Passed })
	if len(failed) != 1 || failed[0].Member == "" {
		return summaryError(audit.Summary)
	}
	return memberError{failed[0].Member, summaryError(failed[0].Summary)}
}

func summaryError(s result.AuditSummary) error {
	if !s.Failed() {
		return fmt.Errorf("the audit could not be made: %s", s.Text)
	}
	return fmt.Errorf("the audit failed: %s", s.Text)
}

// dropCaches stops the servers and evicts their volumes from the caches, as far as the storage
// class can. It returns where later reads come from, in words for the report.
func (t *trial) dropCaches(ctx context.Context) (source string, err error) {
	for _, s := range t.storages { // the contents do not depend on how fast they are read
		if remove := s.Capabilities().RemoveLimits; remove != nil {
			if err := remove(); err != nil {
				return "", fmt.Errorf("remove the limits of the storage: %w", err)
			}
		}
	}
	t.endGone()
	if err := t.each(ctx, "stop instances for the audit", 16, (*instance.Instance).Stop); err != nil {
		return "", err
	}
	if !slices.ContainsFunc(t.members, (*member).OnVolumes) {
		return t.noVolumes(), nil
	}
	source = "servers were stopped and restarted"
	for _, s := range t.storages {
		remount := s.Capabilities().Remount
		if remount == nil {
			source += fmt.Sprintf("; storage class %s cannot drop the caches below them", s.Spec.Class)
			continue
		}
		t.begin("drop the caches of the storage")
		done, err := remount(ctx)
		if err != nil {
			return "", fmt.Errorf("drop the caches of %s: %w", s.Name, err)
		}
		source += "; in between, Plimsoll " + done.String()
	}
	return source, nil
}

// noVolumes says what the audit reads where nothing of the instances is on a volume.
func (t *trial) noVolumes() string {
	if slices.ContainsFunc(t.members, func(m *member) bool {
		return slices.ContainsFunc(m.Roles, func(r facts.Role) bool { return r.Need.Audit })
	}) {
		return "the servers are existing ones and were not stopped: the audit read what they answered"
	}
	return "the servers keep nothing: the audit compared what both ends had counted"
}

// examine audits the members one after the other; source describes where they are read from. The
// audit of a member without a name is the audit of the trial.
func (t *trial) examine(ctx context.Context, audited []*member, source string) (*result.Audit, error) {
	whole := &result.Audit{Summary: result.AuditSummary{Passed: true}}
	for _, m := range audited {
		a, err := m.examine(ctx)
		if err != nil {
			return nil, err
		}
		a.Summary.Source = source
		whole.Add(a)
	}
	whole.Summary.Source = source
	t.result.Audit = &whole.Summary
	return whole, nil
}

// summarise adds up the audits of instances. The number not is how many instances were set aside
// and not audited.
func summarise(all []describe.Audit, not int, u describe.Unit) result.AuditSummary {
	s := result.AuditSummary{Passed: true, Instances: len(all), SetAside: not}
	checks, failed, uncounted := 0, "", []string(nil)
	for _, a := range all {
		s.Acknowledged += a.Acknowledged
		s.Present += a.Present
		s.Doubtful += a.Doubtful
		checks += len(a.Checks)
		s.Passed = s.Passed && a.Passed()
		if text, found := firstFailure(a.Checks); !found && !a.Passed() {
			uncounted = append(uncounted, fmt.Sprintf("instance %d: %s", a.Instance, text))
		} else if found && failed == "" {
			failed = fmt.Sprintf("instance %d: %s", a.Instance, text)
		}
	}
	switch {
	case failed != "":
		s.Text = failed
	case len(uncounted) > 0:
		s.Uncounted = uncounted[0]
		s.Text = "what was acknowledged could not be counted: " + uncounted[0]
		if more := len(uncounted) - 1; more > 0 {
			s.Text += fmt.Sprintf("; and in %s", words.Count(more, "more instance"))
		}
	case s.Passed && s.Acknowledged == 0: // as of work that only reads
		s.Text = fmt.Sprintf("no acknowledged %s to look for, all %d checks passed", u.Of(0), checks)
	case s.Passed:
		s.Text = fmt.Sprintf("all %d acknowledged %s present, all %d checks passed", s.Present, u.Of(s.Present), checks)
	}
	if s.Passed && not > 0 {
		s.Text += fmt.Sprintf("; not audited: %s that failed", words.Count(not, "instance"))
	}
	return s
}

// firstFailure says which check failed first, with the first example. Where none did, it says
// why not everything could be counted.
func firstFailure(checks []describe.Check) (text string, failed bool) {
	for _, c := range checks {
		switch {
		case c.Uncounted != "":
			text = cmp.Or(text, c.Uncounted)
		case c.Failed():
			text = fmt.Sprintf("%s: expected %d, found %d", c.Name, c.Expected, c.Found)
			if len(c.Examples) > 0 {
				text += ": " + c.Examples[0]
			}
			return text, true
		}
	}
	return cmp.Or(text, "no checks were made"), false
}
