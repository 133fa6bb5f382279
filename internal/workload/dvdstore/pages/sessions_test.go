package pages_test

import (
	"bytes"
	"sync"
	"testing"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore"
)

// sessions has users shop by the pages as in a trial; the audit finds all that they
// were told. Nothing else may have ordered or written before.
func (s *stack) sessions(t *testing.T) {
	const users, each = 4, 15
	p := *s.parameters
	p.Tier = dvdstore.Web
	p.PctNewMember, p.PctNewReviews, p.PctNewHelpfulness = 50, 50, 50
	operations := dvdstore.Workload{}.Describe(&p).Operations
	all := make([]*notes, users)
	total := map[string]int{}
	var wait sync.WaitGroup
	for user := range users {
		all[user] = &notes{names: operations, done: map[string]int{}}
		wait.Go(func() { s.shop(t, &p, user, each, all[user]) })
	}
	wait.Wait()
	for _, n := range all {
		s.receipts = append(s.receipts, n.receipts...)
		for operation, count := range n.done {
			total[operation] += count
		}
	}
	t.Logf("%v", total)
	for _, operation := range operations {
		if total[operation] == 0 {
			t.Errorf("nobody did %s", operation)
		}
	}
	s.audit(t)
}

func (s *stack) shop(t *testing.T, p *dvdstore.Parameters, user, orders int, n *notes) {
	session, err := dvdstore.Workload{}.Open(t.Context(), s.db.Target(), p, user, seed+uint64(user))
	if err != nil {
		t.Error(err)
		return
	}
	defer session.Close()
	for range orders {
		if err := session.Do(t.Context(), n); err != nil {
			t.Errorf("user %d: %v", user, err)
		}
	}
}

// notes is a recorder.
type notes struct {
	names    []string
	done     map[string]int // by operation
	receipts [][]byte
}

func (n *notes) Observe(operation int, _ time.Time, _ time.Duration, outcome workload.Outcome) {
	if outcome != workload.Failed {
		n.done[n.names[operation]]++
	}
}

func (n *notes) Moved(int, int64)         {}
func (*notes) Spent(int, describe.Effort) {}

func (n *notes) Receipt(r []byte) { n.receipts = append(n.receipts, bytes.Clone(r)) }
