package network

import (
	"context"
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
)

// Audit compares what was sent with what arrived, as both ends of each stream counted
// it when the stream ended. It asks nobody: sinks keep nothing.
func (Workload) Audit(_ context.Context, t workload.Target, p workload.Parameters, _ uint64, receipts workload.Receipts) (describe.Audit, error) {
	if _, err := workload.Own[*Parameters](Name, p); err != nil {
		return describe.Audit{}, err
	}
	s := sum{audit: describe.Audit{Instance: t.Instance}}
	err := receipts.Each(func(receipt []byte) error {
		a, err := readAccount(receipt)
		if err == nil {
			s.add(a)
		}
		return err
	})
	if err != nil {
		return describe.Audit{}, err
	}
	return s.result(int64(max(1, t.Users))), nil
}

// sum adds up the streams of an instance.
type sum struct {
	audit            describe.Audit
	streams, lost    int64
	accounted, right int64 // streams
	sent, received   int64 // bytes of streams that ended in good order
	unknown          []string
	missing, changed []string
}

const mostExamples = 10

func example(all []string, format string, args ...any) []string {
	if len(all) < mostExamples {
		all = append(all, fmt.Sprintf(format, args...))
	}
	return all
}

func (s *sum) add(a account) {
	s.streams++
	intact := a.received
	if a.wrong >= 0 {
		intact = a.wrong
		s.changed = example(s.changed, "byte %d of a stream of %d", a.wrong, a.sent)
	} else {
		s.right++
	}
	messages, arrived := a.sent/a.message, min(intact, a.sent)/a.message
	if a.open {
		s.lost++
		s.audit.Doubtful += messages - arrived
		messages = arrived
	} else {
		s.settle(a)
	}
	s.audit.Acknowledged += messages
	s.audit.Present += arrived
}

// settle counts a stream that ended in good order.
func (s *sum) settle(a account) {
	if a.unknown {
		s.unknown = example(s.unknown, "the other end of a stream of %d bytes did not say what came of it", max(a.sent, a.received))
		return
	}
	s.accounted++
	s.sent, s.received = s.sent+a.sent, s.received+a.received
	if a.sent != a.received {
		s.missing = example(s.missing, "%d bytes were sent and %d arrived", a.sent, a.received)
	}
}

// The names of the checks.
const (
	checkEach      = "every user accounts for a stream"
	checkEnded     = "a stream ended in good order"
	checkAccounted = "both ends account for every stream that ended in good order"
	checkArrived   = "every byte that was sent has arrived"
	checkContent   = "every stream arrived as it was sent"
)

// gone explains that no stream ended in good order.
func (s *sum) gone() []string {
	if s.lost < s.streams {
		return nil
	}
	return []string{fmt.Sprintf("%d of %d streams were lost, and no user could begin another: the sink has ended, or cannot be reached any more", s.lost, s.streams)}
}

// result judges the streams of so many users at least.
func (s *sum) result(users int64) describe.Audit {
	check := func(name string, expected, found int64, passed bool, examples []string) {
		s.audit.Checks = append(s.audit.Checks, describe.Check{Name: name, Passed: passed, Expected: expected, Found: found, Examples: examples})
	}
	check(checkEach, users, s.streams, s.streams >= users, nil)
	check(checkEnded, 1, min(1, s.streams-s.lost), s.lost < s.streams, s.gone())
	check(checkAccounted, s.accounted+int64(len(s.unknown)), s.accounted, len(s.unknown) == 0, s.unknown)
	check(checkArrived, s.sent, s.received, len(s.missing) == 0, s.missing)
	check(checkContent, s.streams, s.right, s.right == s.streams, s.changed)
	return s.audit
}
