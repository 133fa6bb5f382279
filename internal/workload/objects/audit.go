package objects

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/minio/minio-go/v7"
	"golang.org/x/sync/errgroup"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/objectio"
)

// Audit lists the bucket and gets every object in it, and compares that with what was
// loaded and with what the users know: which keys must be there, once, with which content,
// and which must not.
func (Workload) Audit(ctx context.Context, t workload.Target, p workload.Parameters, seed uint64, receipts workload.Receipts) (describe.Audit, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return describe.Audit{}, err
	}
	s, err := administer(workload.Target{Instance: t.Instance, Endpoints: withoutFront(t)}, 0)
	if err != nil {
		return describe.Audit{}, err
	}
	a := audit{store: s, target: t, p: own, seed: seed, users: usersOf(t), known: newKnown(own)}
	if err := receipts.Each(a.known.add); err != nil {
		return describe.Audit{}, err
	}
	a.volume, err = s.Identity(ctx, ownerOf(t, own))
	if err == nil {
		err = a.look(ctx)
	}
	return a.result(t.Instance), err
}

// audit is one instance while it is audited.
type audit struct {
	store
	target workload.Target
	p      *Parameters
	seed   uint64
	users  int64
	volume uint64
	known  *claims

	lock  sync.Mutex
	found findings
}

// findings are the results of an audit.
type findings struct {
	doubtful, kept     int64 // keys; changes
	loaded, loadedOK   int64 // objects
	written, writtenOK int64 // objects that must be there
	extra, twice       int64 // names that must not be there; that were listed more than once

	wrong, lost, foreign, doubled fileio.Examples
}

// auditors is how many objects are read at once.
const auditors = 8

// expectation is a key that exists or may exist, with its expected state.
type expectation struct {
	object
	space space
	key   string
}

func (a *audit) look(ctx context.Context) error {
	listed, err := a.list(ctx)
	if err != nil {
		return err
	}
	all := make(chan expectation)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { defer close(all); return a.each(ctx, all) })
	for n := range auditors {
		g.Go(func() error { return a.read(ctx, n, listed, all) })
	}
	return g.Wait()
}

// list returns the names that are in the bucket and notes those that must not be.
func (a *audit) list(ctx context.Context) (map[string]bool, error) {
	names := map[string]bool{}
	for o, err := range bucket.List(ctx, a.Core.Client, a.Bucket, bucket.Query{}) {
		switch {
		case err != nil:
			return nil, objectio.Classify(err)
		case o.Key == objectio.IdentityKey || bucket.IsMark(o.Key):
		case names[o.Key]:
			a.found.twice++
			a.found.doubled.Add("%s", o.Key)
		case !a.mayBe(o.Key):
			a.found.extra++
			a.found.foreign.Add("%s", o.Key)
		}
		names[o.Key] = true
	}
	return names, nil
}

// mayBe reports whether a name may be in the bucket.
func (a *audit) mayBe(key string) bool {
	s, number, ours := readKey(key, a.p.Prefixes)
	if !ours || number >= a.p.Objects {
		return a.known.leftover(key)
	}
	if s.epoch == 0 {
		return s.user < a.users
	}
	o, ok := a.known.sessions[s][number]
	return ok && (o.there() || !o.certain())
}

// each sends the expected state of every known key.
func (a *audit) each(ctx context.Context, to chan<- expectation) error {
	give := func(e expectation) bool {
		select {
		case to <- e:
			return true
		case <-ctx.Done():
			return false
		}
	}
	for user := range a.users {
		s := space{user: user}
		for number := range a.p.Objects {
			if !give(expectation{object{is: loaded(a.p, a.volume, s, number)}, s, s.key(number, a.p.Prefixes)}) {
				return ctx.Err()
			}
		}
	}
	for s, objects := range a.known.sessions {
		for number, o := range objects {
			if !give(expectation{o, s, s.key(number, a.p.Prefixes)}) {
				return ctx.Err()
			}
		}
	}
	return nil
}

// read looks at keys until there are no more.
func (a *audit) read(ctx context.Context, n int, listed map[string]bool, all <-chan expectation) error {
	s, err := administer(workload.Target{Instance: a.target.Instance, Endpoints: withoutFront(a.target)}, n)
	if err != nil {
		return err
	}
	r := reader{s, newBlocks(a.volume, a.p.Verify, a.seed)}
	for e := range all {
		err := r.judge(ctx, e, listed[e.key])
		if ctx.Err() != nil {
			return ctx.Err()
		}
		a.note(e, listed[e.key], err)
	}
	return nil
}

// note counts what came of a key.
func (a *audit) note(e expectation, listed bool, err error) {
	a.lock.Lock()
	defer a.lock.Unlock()
	f, right := &a.found, err == nil
	switch {
	case !e.certain():
		f.doubtful++
	case right:
		f.kept += int64(e.acked)
	}
	if !right {
		if listed {
			f.wrong.Add("%s: %v", e.key, err)
		} else {
			f.lost.Add("%s: %v", e.key, err)
		}
	}
	must := e.there() && e.certain() || !right
	count, ok := &f.written, &f.writtenOK
	if e.space.epoch == 0 {
		count, ok = &f.loaded, &f.loadedOK
	}
	if must {
		*count++
		if right {
			*ok++
		}
	}
}

// reader reads objects for an audit.
type reader struct {
	store
	blocks *blocks
}

var errNotListed = errors.New("it is not in the list")

// judge checks the object at a key. A key in doubt must be either as it was or as a failed
// change would have left it, and whole.
func (r reader) judge(ctx context.Context, e expectation, listed bool) error {
	err := r.holds(ctx, e.key, e.is, listed)
	if err == nil || e.certain() {
		if err == nil && e.certain() && e.tagged != 0 {
			return r.tagged(ctx, e.key, e.tagged)
		}
		return err
	}
	if e.retagged {
		return err // the content is certain
	}
	tried := []content{e.tried}
	if e.deleted {
		tried = append(tried, content{})
	}
	var other error
	for _, c := range tried {
		if other = r.holds(ctx, e.key, c, listed); other == nil {
			return nil
		}
	}
	return fmt.Errorf("neither as it was: %w; nor as a change that failed would have left it: %w", err, other)
}

// holds compares the object at a key with its expected content, which may be none.
func (r reader) holds(ctx context.Context, key string, c content, listed bool) error {
	switch {
	case c.file == 0 && listed:
		return objectio.Wrong(back, "it is in the list and should not be")
	case c.file == 0:
		return nil
	case !listed:
		return errNotListed
	}
	body, info, _, err := r.Core.GetObject(ctx, r.Bucket, key, minio.GetObjectOptions{})
	if err != nil {
		return objectio.Classify(err)
	}
	defer body.Close()                         // which was only read
	if info.Size >= 0 && info.Size != c.size { // a content that comes in chunks has no length before it ends
		return objectio.Wrong(objectio.WrongSize, "it has %d bytes, not %d", info.Size, c.size)
	}
	return r.blocks.check(body, c, 0, c.size)
}

func (r reader) tagged(ctx context.Context, key string, want uint32) error {
	t, err := r.Core.GetObjectTagging(ctx, r.Bucket, key, minio.GetObjectTaggingOptions{})
	if err != nil {
		return objectio.Classify(err)
	}
	if got := t.ToMap()[tagName]; got != strconv.FormatUint(uint64(want), 10) {
		return objectio.Wrong(wrongTag, "its tag is %q, not %d", got, want)
	}
	return nil
}

// The names of the checks.
const (
	checkReceipts = "no receipt of a change is missing or there twice"
	checkLoaded   = "every object that was loaded is there, whole"
	checkWritten  = "every object that was acknowledged is there, whole, as it was written last"
	checkGone     = "names that must not be in the list"
	checkOnce     = "names that are in the list more than once"
)

func (a *audit) result(instance int) describe.Audit {
	f := &a.found
	given, should := a.known.receipts()
	bad := append(f.wrong, f.lost...)
	checks := []describe.Check{
		fileio.Check(checkReceipts, should, given, nil),
		fileio.Check(checkLoaded, f.loaded, f.loadedOK, bad),
		fileio.Check(checkWritten, f.written, f.writtenOK, bad),
		fileio.Check(checkGone, 0, f.extra, f.foreign),
		fileio.Check(checkOnce, 0, f.twice, f.doubled),
	}
	return describe.Audit{Instance: instance, Acknowledged: a.known.acknowledged(), Doubtful: f.doubtful, Present: f.kept, Checks: checks}
}
