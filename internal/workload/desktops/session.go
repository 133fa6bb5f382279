package desktops

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// session is one person at a desktop. No other touches its files, so it knows what each
// must hold.
type session struct {
	*desk
	ledger
	fileio.Turn
	owner   fileio.Owner
	path    string // of the volume
	random  *rand.Rand
	numbers map[string]int // of operations
	groups  map[string]int // of the group of each verb
	out     *bufio.Writer

	starts []string  // verbs to do before any of the mix
	ended  time.Time // of the last action
	given  bool      // receipts were given
}

var _ workload.PacedSession = (*session)(nil)

func openSession(t workload.Target, p *Parameters, user int, seed uint64) (*session, error) {
	at, err := endpoint.As[endpoint.Volume](t.Endpoint(fileio.VolumeRole))
	if err != nil {
		return nil, fmt.Errorf("open the volume: %w", err)
	}
	if int64(user) >= usersOf(t) {
		return nil, fmt.Errorf("session %d of %d: the driver did not say how many there are", user, usersOf(t))
	}
	s := &session{
		ledger: newLedger(p), owner: ownerOf(t, p), path: at.Path, random: rand.New(rand.NewPCG(seed, uint64(user))),
		numbers: p.numbers(), groups: map[string]int{}, out: bufio.NewWriterSize(nil, pieceBytes), starts: p.starts(),
	}
	for _, g := range groups() {
		for _, verb := range g.verbs {
			s.groups[verb] = s.numbers[g.name]
		}
	}
	s.desk, err = s.enter(p, int64(user))
	return s, err
}

// enter opens the volume that was prepared, or refuses it.
func (s *session) enter(p *Parameters, user int64) (d *desk, err error) {
	root, err := fileio.Open(s.path)
	if err != nil {
		return nil, err
	}
	volume, err := root.Identity(s.owner)
	if err == nil && s.desk != nil && s.volume != volume {
		err = fmt.Errorf("%s holds another volume now", s.path)
	}
	if err == nil {
		d, err = openDesk(root, p, volume, user)
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return d, nil
}

// Broken implements workload.Session: what a session knows of its files would be lost with
// it, so it opens by itself a volume that was gone.
func (*session) Broken() bool { return false }

// Close implements workload.Session.
func (s *session) Close() error { return errors.Join(s.close(), s.root.Close()) }

// longestWait is how long Do waits before it looks whether the driver ends: people think for
// long, and there are thousands of them.
const longestWait = 500 * time.Millisecond

// Do implements workload.Session: it performs an action if one is due, and otherwise waits.
func (s *session) Do(ctx context.Context, rec workload.Recorder) error {
	if err := ctx.Err(); err != nil {
		s.giveReceipts(rec)
		return err
	}
	if !s.Take() {
		s.giveReceipts(rec)
		return workload.ErrFinished
	}
	if !s.Ready(longestWait) {
		return nil
	}
	s.Waits = false
	return s.action(rec)
}

// giveReceipts hands over what the session knows, once.
func (s *session) giveReceipts(rec workload.Recorder) {
	if s.given {
		return
	}
	s.given = true
	for _, text := range s.receipts(s.volume, s.user) {
		rec.Receipt(text)
	}
}

// action does one thing and reports it: by itself, in its group, and as the unit of work,
// these two from when it was due.
func (s *session) action(rec workload.Recorder) error {
	begun := workload.Now()
	due := s.Due(begun)
	verb := s.choose(due)
	bytes, err := s.perform(verb)
	s.ended = workload.Now()
	outcome := workload.OutcomeOf(err)
	rec.Observe(s.numbers[verb], begun, s.ended.Sub(begun), outcome)
	rec.Observe(s.groups[verb], due, s.ended.Sub(due), outcome)
	rec.Observe(0, due, s.ended.Sub(due), outcome)
	if err != nil {
		s.backOff()
		return fmt.Errorf("%s of session %d: %w", verb, s.user, err)
	}
	s.Succeeded()
	rec.Moved(0, bytes)
	return nil
}

// choose returns the next verb. After the session was away, it starts again.
func (s *session) choose(due time.Time) (verb string) {
	if !s.ended.IsZero() && due.Sub(s.ended) >= s.p.Away.D() {
		s.starts = s.p.starts()
	}
	if len(s.starts) == 0 {
		return s.p.Mix.Draw(s.random)
	}
	verb, s.starts = s.starts[0], s.starts[1:]
	return verb
}

// perform does what the verb says, and gives how many bytes were read and written.
func (s *session) perform(verb string) (bytes int64, err error) {
	number := s.random.Int64N(s.p.Documents)
	switch verb {
	case open:
		return s.look(number)
	case browse:
		return 0, s.browse()
	case edit:
		return s.edit(number)
	case search:
		return s.search()
	case save:
		return s.p.size(number), s.save(number)
	case duplicate:
		return s.copy()
	case pack:
		return s.archive()
	case compress:
		return s.compress()
	case boot:
		return s.boot()
	}
	return s.login()
}

// backOff has the session wait after a failure. The second in a row has it open the volume
// again: it may have been replaced.
func (s *session) backOff() {
	if s.Failed(s.ended) < 2 {
		return
	}
	anew, err := s.enter(s.p, s.user)
	if err != nil {
		return // the next failure tries again; it is counted
	}
	_ = errors.Join(s.close(), s.root.Close()) // nothing is lost with them
	s.desk = anew
}
