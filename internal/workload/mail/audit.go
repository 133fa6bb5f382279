package mail

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/emersion/go-imap/v2"
	"golang.org/x/sync/errgroup"

	"plimsoll/internal/client/mailbox"
	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// Audit waits until the queue of the mail server is empty, reads every message of every
// mailbox, and compares that with what was loaded and with what the users know.
func (Workload) Audit(ctx context.Context, t workload.Target, p workload.Parameters, _ uint64, receipts workload.Receipts) (describe.Audit, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return describe.Audit{}, err
	}
	a := audit{target: t, p: own, known: newKnown(), copies: map[mailboxEntry]int64{}}
	if err := receipts.Each(a.known.add); err != nil {
		return describe.Audit{}, err
	}
	volume, err := identity(ctx, t, own)
	if err != nil {
		return describe.Audit{}, err
	}
	if a.known.given == 0 {
		a.known.volume = volume
	}
	if volume != a.known.volume {
		return describe.Audit{}, fmt.Errorf("the receipts are of the mailboxes %016x, and these are %016x", a.known.volume, volume)
	}
	if a.queued, err = drain(ctx, t); err == nil {
		err = a.look(ctx)
	}
	return a.result(t.Instance), err
}

// audit is one instance while it is audited.
type audit struct {
	target workload.Target
	p      *Parameters
	known  *claims
	queued int64 // messages that stayed in the queue

	lock   sync.Mutex
	copies map[mailboxEntry]int64 // found of messages that were sent
	found  findings
}

// findings are the results of an audit.
type findings struct {
	loaded, loadedOK int64 // messages that must be there, in their mailboxes
	sent, sentOK     int64
	removed, gone    int64
	twice, again     int64 // copies too many; those that an interruption explains
	foreign, changed int64

	lost, back, doubled, strange, wrong fileio.Examples
}

const (
	// drainWithin bounds how long the queue may take for its next message: a delivery that
	// failed is tried again within half a minute, and Dovecot waits for two when the lock of a
	// maildir was left by a process that was killed.
	drainWithin = 4 * time.Minute
	// auditors is how many mailboxes are read at once.
	auditors = 8
)

// drain waits until the queue is empty. If it does not become empty, drain returns how many
// messages are left.
func drain(ctx context.Context, t workload.Target) (left int64, err error) {
	relay, err := mailbox.RelayOf(t.Endpoint(smtpRole))
	if err != nil {
		return 0, err
	}
	least, since, empty := int64(-1), time.Now(), 0
	for {
		q, err := relay.Messages()
		if err != nil {
			return 0, fmt.Errorf("wait until the queue of the mail server is empty: %w", err)
		}
		left = q.Active + q.Incoming + q.Deferred
		if left == 0 {
			empty++
		}
		if least < 0 || left < least {
			least, since = left, time.Now()
		}
		if empty > 1 || left > 0 && time.Since(since) > drainWithin { // a message between two directories may be seen in none
			return left, nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return left, ctx.Err()
		}
	}
}

func (a *audit) look(ctx context.Context) error {
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range auditors {
		g.Go(func() error {
			for {
				user := next.Add(1) - 1
				if user >= usersOf(a.target) {
					return nil
				}
				if err := a.judge(ctx, user); err != nil {
					return classify(fmt.Errorf("read mailbox %s: %w", box(user), err))
				}
			}
		})
	}
	return g.Wait()
}

// judge compares a mailbox with what must be in it.
func (a *audit) judge(ctx context.Context, user int64) error {
	in, err := mailbox.OpenInbox(ctx, a.target.Endpoint(mailRole), box(user))
	if err != nil {
		return err
	}
	defer in.Close() // it was only read
	defer in.Until(ctx)()
	want, have := a.known.expected(a.p, user), map[id]*presence{}
	for _, folder := range []string{inbox, archive} {
		about, err := in.Select(folder, &imap.SelectOptions{ReadOnly: true}).Wait()
		if err != nil {
			return err
		}
		if about.NumMessages == 0 {
			continue
		}
		whole := &imap.FetchItemBodySection{Peek: true}
		cmd := in.Fetch(imap.SeqSet{{Start: 1, Stop: about.NumMessages}}, &imap.FetchOptions{BodySection: []*imap.FetchItemBodySection{whole}})
		for m := cmd.Next(); m != nil; m = cmd.Next() {
			got, err := m.Collect()
			if err != nil {
				return err
			}
			a.message(user, folder, got.FindBodySection(whole), want, have)
		}
		if err := cmd.Close(); err != nil {
			return err
		}
	}
	a.count(user, want, have)
	return nil
}

// message judges one that is there.
func (a *audit) message(user int64, folder string, text []byte, want map[id]copies, have map[id]*presence) {
	f, err := inspect(text)
	i, ours := parseID(f.messageID, a.known.volume)
	c, known := want[i]
	a.lock.Lock()
	defer a.lock.Unlock()
	switch {
	case err != nil || !ours || !known:
		a.found.foreign++
		a.found.strange.Add("in %s of %s: %q", folder, box(user), f.messageID)
	case f.digest != c.digest:
		a.found.changed++
		a.found.wrong.Add("in %s of %s: %s has another digest", folder, box(user), i)
		fallthrough
	default:
		if have[i] == nil {
			have[i] = &presence{arrivals: map[arrival]bool{}}
		}
		have[i].copies++
		have[i].arrivals[f.arrival] = true
	}
}

// presence is how often a message is in a mailbox, and by which deliveries.
type presence struct {
	copies   int64
	arrivals map[arrival]bool
}

// number returns the number of copies, and how many of them came with a later delivery than
// the first, which may have been removed.
func (s *presence) number(removed []arrival) (n, again int64) {
	if s == nil {
		return 0, 0
	}
	if len(removed) == 0 {
		return s.copies, int64(len(s.arrivals)) - 1
	}
	for d := range s.arrivals {
		if !slices.Contains(removed, d) {
			again++
		}
	}
	return s.copies, again
}

// count compares how often each message is there with how often it must be.
func (a *audit) count(user int64, want map[id]copies, have map[id]*presence) {
	a.lock.Lock()
	defer a.lock.Unlock()
	f := &a.found
	for i, c := range want {
		n, again := have[i].number(c.removed)
		if a.known.lost { // a server that was interrupted does not know that it had delivered
			f.again += again
			n -= again
		}
		right := n >= c.least && n <= c.most
		switch {
		case c.most == 0:
			f.removed++
			if n == 0 {
				f.gone++
			} else {
				f.back.Add("%s is in mailbox %s", i, box(user))
			}
		case n > c.most:
			f.twice += n - c.most
			f.doubled.Add("%s is in mailbox %s %d times", i, box(user), n)
		}
		if c.least > 0 && n < c.least {
			f.lost.Add("%s is not in mailbox %s", i, box(user))
		}
		switch {
		case c.least == 0:
		case c.loaded:
			f.loaded++
			f.loadedOK += min(n, 1)
		default:
			f.sent++
			f.sentOK += min(n, 1)
		}
		if right && !c.loaded {
			a.copies[mailboxEntry{user, i}] = 1
		}
	}
}

// The names of the checks.
const (
	checkReceipts = "no receipt is missing or there twice"
	checkLoaded   = "every message that was loaded is in its mailbox"
	checkSent     = "every message that was accepted is in its mailboxes"
	checkOnce     = "messages that are in a mailbox more than once"
	checkWhole    = "messages whose digest is another"
	checkGone     = "every message that was deleted is gone"
	checkForeign  = "messages that nobody sent"
	checkQueue    = "messages that stayed in the queue"
)

func (a *audit) result(instance int) describe.Audit {
	f := &a.found
	checks := []describe.Check{
		fileio.Check(checkReceipts, a.known.should(), a.known.given, nil),
		fileio.Check(checkLoaded, f.loaded, f.loadedOK, f.lost),
		fileio.Check(checkSent, f.sent, f.sentOK, f.lost),
		fileio.Check(checkOnce, 0, f.twice, f.doubled),
		fileio.Check(checkWhole, 0, f.changed, f.wrong),
		fileio.Check(checkGone, f.removed, f.gone, f.back),
		fileio.Check(checkForeign, 0, f.foreign, f.strange),
		fileio.Check(checkQueue, 0, a.queued, nil),
	}
	acknowledged, present, doubtful := a.messages()
	return describe.Audit{Instance: instance, Acknowledged: acknowledged, Doubtful: doubtful + f.again, Present: present, Checks: checks}
}

// messages counts the accepted messages, and those that are present in all their mailboxes.
func (a *audit) messages() (acknowledged, present, doubtful int64) {
	for i, s := range a.known.sent {
		if s.doubt {
			doubtful++
			continue
		}
		acknowledged++
		if a.copies[mailboxEntry{s.to, i}]+a.copies[mailboxEntry{i.user, i}] == 2 {
			present++
		}
	}
	return acknowledged, present, doubtful
}
