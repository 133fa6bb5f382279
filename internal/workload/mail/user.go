package mail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"plimsoll/internal/client/mailbox"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"

	"github.com/emersion/go-imap/v2"
)

const (
	inbox   = "INBOX"
	archive = "Archive" // where users move messages to
)

// user is a session: one mailbox, to which nobody else is connected.
type user struct {
	p       *Parameters
	smtp    endpoint.Endpoint
	in      *mailbox.Inbox
	number  int64 // of its mailbox
	users   int64
	volume  uint64
	epoch   uint64
	sent    int64          // messages so far
	serial  uint64         // receipts so far
	held    []inboxMessage // messages in the inbox
	last    imap.UID
	random  *rand.Rand
	numbers map[string]int // of operations
	failing int            // units that failed since one succeeded
	broken  bool
	rec     workload.Recorder
}

// inboxMessage is a message that the user knows to be in the inbox.
type inboxMessage struct {
	uid     imap.UID
	id      id
	arrival arrival
	ours    bool // some session sent it, or it was loaded
}

func openUser(ctx context.Context, t workload.Target, p *Parameters, number int, seed uint64) (*user, error) {
	u := &user{
		p: p, smtp: t.Endpoint(smtpRole), users: usersOf(t), number: int64(number) % usersOf(t),
		epoch:  firstEpoch + rand.Uint64N(lastEpoch-firstEpoch+1),
		random: rand.New(rand.NewPCG(seed, uint64(number))), numbers: p.numbers(),
	}
	var err error
	if u.volume, err = identity(ctx, t, p); err != nil {
		return nil, err
	}
	if u.in, err = mailbox.OpenInbox(ctx, t.Endpoint(mailRole), box(u.number)); err != nil {
		return nil, classify(err)
	}
	defer u.in.Until(ctx)()
	if _, err = u.in.Select(inbox, nil).Wait(); err == nil {
		err = u.news()
	}
	if err != nil {
		return nil, classify(errors.Join(fmt.Errorf("open mailbox %s: %w", box(u.number), err), u.in.Close()))
	}
	return u, nil
}

// Broken implements workload.Session.
func (u *user) Broken() bool { return u.broken }

// Close implements workload.Session. A connection that was lost is closed already.
func (u *user) Close() error {
	if err := u.in.Close(); err != nil && !u.broken {
		return err
	}
	return nil
}

// Do implements workload.Session: one action, and the delivery of the message that it sent.
func (u *user) Do(ctx context.Context, rec workload.Recorder) error {
	if err := u.pause(ctx); err != nil {
		return err
	}
	u.rec = rec
	stop := u.in.Until(ctx)
	defer stop()
	begun := workload.Now()
	w, err := u.perform(ctx, u.p.Mix.Draw(u.random))
	took := time.Since(begun) - w.waited
	if err == nil && w.sent {
		err = u.awaitDelivery(ctx, w.message, w.accepted)
	}
	outcome := workload.Done
	if err != nil {
		outcome = workload.Failed
		u.failing++
		u.lost(ctx, err)
	} else {
		u.failing = 0
	}
	rec.Observe(0, begun, took, outcome)
	if w.bytes > 0 && err == nil {
		rec.Moved(0, w.bytes)
	}
	return err
}

// lost notes that a connection ended before its time: the session is over if it was that to
// the mailbox, and what was under way may be done again by a server that was interrupted.
func (u *user) lost(ctx context.Context, err error) {
	if isAnswer(err) && !isLost(err) {
		return
	}
	if ctx.Err() == nil { // else the user has cut it
		u.receive(receiptLost)
	}
	select {
	case <-u.in.Closed():
		u.broken = true
	default:
	}
}

func isLost(err error) bool {
	m, ok := errors.AsType[mailError](err)
	return ok && m.class == errorclass.ConnectionLost
}

// pause waits after failures, so that a server that is gone does not keep a processor busy.
func (u *user) pause(ctx context.Context) error {
	if u.failing == 0 {
		return nil
	}
	select {
	case <-time.After(fileio.Pause(u.failing)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// work is the result of an action.
type work struct {
	bytes    int64 // of the message that was read, or sent
	waited   time.Duration
	sent     bool
	message  id
	accepted time.Time
}

// perform does one action. If the inbox has no message for it, it sends one instead.
func (u *user) perform(ctx context.Context, verb string) (w work, err error) {
	at := -1
	if verb != send && verb != search && verb != idle {
		if at = u.pick(); at < 0 {
			verb = send
		}
	}
	switch verb {
	case read:
		w.bytes, err = u.read(at)
	case move:
		err = u.move(at)
	case remove:
		err = u.remove(at)
	case search:
		err = u.search()
	case idle:
		w.waited, err = u.idle(ctx)
	default:
		return u.write(ctx, verb, at)
	}
	return w, err
}

// pick returns the place of a message of the inbox that was sent by a session or loaded.
func (u *user) pick() int {
	if len(u.held) == 0 {
		return -1
	}
	return u.random.IntN(len(u.held))
}

// time reports how long an operation took, without a wait that is a part of it.
func (u *user) time(verb string, do func() (waited time.Duration, err error)) error {
	begun := workload.Now()
	waited, err := do()
	err = classify(err)
	u.rec.Observe(u.numbers[verb], begun, max(0, time.Since(begun)-waited), workload.OutcomeOf(err))
	return err
}

// at is a message's number as commands have it.
func (h inboxMessage) at() imap.UIDSet { return imap.UIDSetNum(h.uid) }

// fetch reads a whole message, which marks it as seen, and checks its digest.
func (u *user) fetch(h inboxMessage) (int64, error) {
	whole := &imap.FetchItemBodySection{}
	got, err := u.in.Fetch(h.at(), &imap.FetchOptions{BodySection: []*imap.FetchItemBodySection{whole}}).Collect()
	if err != nil {
		return 0, err
	}
	if len(got) != 1 {
		return 0, wrong(missing, "message %s is not in mailbox %s", h.id, box(u.number))
	}
	text := got[0].FindBodySection(whole)
	f, err := inspect(text)
	if err == nil && h.ours && !f.intact {
		err = errors.New("its body is another")
	}
	if err != nil {
		return 0, wrong(wrongContent, "message %s in mailbox %s: %w", h.id, box(u.number), err)
	}
	return int64(len(text)), nil
}

func (u *user) read(at int) (n int64, err error) {
	err = u.time(read, func() (time.Duration, error) { n, err = u.fetch(u.held[at]); return 0, err })
	return n, err
}

// forget takes a message from those that are held.
func (u *user) forget(at int) {
	u.held[at] = u.held[len(u.held)-1]
	u.held = u.held[:len(u.held)-1]
}

func (u *user) move(at int) error {
	h := u.held[at]
	err := u.time(move, func() (time.Duration, error) {
		_, err := u.in.Move(h.at(), archive).Wait()
		return 0, err
	})
	u.forget(at)
	if err != nil {
		u.receiveOf(receiptMoved, h.id, true)
	}
	return err
}

func (u *user) remove(at int) error {
	h := u.held[at]
	err := u.time(remove, func() (time.Duration, error) {
		flags := &imap.StoreFlags{Op: imap.StoreFlagsAdd, Silent: true, Flags: []imap.Flag{imap.FlagDeleted}}
		if err := u.in.Store(h.at(), flags, nil).Close(); err != nil {
			return 0, err
		}
		return 0, u.in.UIDExpunge(h.at()).Close()
	})
	u.forget(at)
	u.receiveOf(receiptRemoved, h.id, err != nil, uint64(h.arrival))
	return err
}

// search looks for a message by its subject, which must be found if it is there.
func (u *user) search() error {
	at := u.pick()
	word := "plimsoll"
	if at >= 0 {
		word = u.held[at].id.String()
	}
	return u.time(search, func() (time.Duration, error) {
		criteria := &imap.SearchCriteria{Header: []imap.SearchCriteriaHeaderField{{Key: "Subject", Value: word}}}
		got, err := u.in.UIDSearch(criteria, nil).Wait()
		if err != nil || at < 0 || !u.held[at].ours {
			return 0, err
		}
		for _, uid := range got.AllUIDs() {
			if uid == u.held[at].uid {
				return 0, nil
			}
		}
		return 0, wrong(missing, "a search in mailbox %s did not find message %s", box(u.number), word)
	})
}

// idle waits for new messages (RFC 2177) and reads them.
func (u *user) idle(ctx context.Context) (waited time.Duration, err error) {
	err = u.time(idle, func() (time.Duration, error) {
		cmd, err := u.in.Idle()
		if err != nil {
			return 0, err
		}
		begun := time.Now()
		select {
		case <-time.After(u.p.Idle.D()):
		case <-ctx.Done():
		case <-u.in.Closed():
			return time.Since(begun), io.ErrUnexpectedEOF
		}
		waited = time.Since(begun)
		if err := cmd.Close(); err != nil {
			return waited, err
		}
		return waited, cmd.Wait()
	})
	if err == nil {
		err = classify(u.news())
	}
	return waited, err
}

// news asks which messages have come since it was asked last.
func (u *user) news() error {
	received := &imap.FetchItemBodySection{Specifier: imap.PartSpecifierHeader, HeaderFields: []string{receivedHeader}, Peek: true}
	got, err := u.in.Fetch(imap.UIDSet{{Start: u.last + 1, Stop: 0}}, &imap.FetchOptions{
		UID: true, Envelope: true, BodySection: []*imap.FetchItemBodySection{received},
	}).Collect()
	if err != nil {
		return err
	}
	for _, m := range got {
		if m.UID <= u.last || m.Envelope == nil { // the last one is always among them
			continue
		}
		i, ours := parseID(m.Envelope.MessageID, u.volume)
		if ours {
			u.held = append(u.held, inboxMessage{m.UID, i, arrivalIn(m.FindBodySection(received)), true})
		}
		u.last = m.UID
	}
	return nil
}
