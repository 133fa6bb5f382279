package desktops

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// Audit lists every directory and reads every file: each must hold what its session had
// acknowledged last.
func (Workload) Audit(ctx context.Context, t workload.Target, p workload.Parameters, _ uint64, receipts workload.Receipts) (result describe.Audit, err error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return result, err
	}
	err = fileio.OnPrepared(t, ownerOf(t, own), func(root *fileio.Root, volume uint64) error {
		a := audit{p: own, root: root, known: newKnown(own, volume, usersOf(t))}
		if err := receipts.Each(a.known.add); err != nil {
			return err
		}
		if err := a.look(ctx); err != nil {
			return err
		}
		result = a.result(t.Instance)
		return nil
	})
	return result, err
}

// audit is one instance while it is audited.
type audit struct {
	p     *Parameters
	root  *fileio.Root
	known *claims

	lock  sync.Mutex
	found findings
}

// findings are the results of auditing some desktops.
type findings struct {
	accounted              int64 // desktops
	acknowledged, kept     int64 // changes
	doubtful               int64 // files
	documents, rightly     int64 // documents and settings; of those, as they must be
	made, intact           int64 // outputs; of those, as they must be
	unchanged, untouched   int64 // files that nobody changes; of those, as they were
	extra                  int64 // names that must not be there
	wrong, spoilt, damaged fileio.Examples
	foreign                fileio.Examples
}

// auditors is how many desktops are looked at at once.
const auditors = 8

func (a *audit) look(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(auditors)
	for user, account := range a.known.sessions {
		if account.heads == 0 {
			continue // nobody says how anything must be
		}
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			l := inspection{audit: a, account: account}
			l.desktop(int64(user))
			a.lock.Lock()
			defer a.lock.Unlock()
			a.found.add(&l.findings)
			return nil
		})
	}
	return g.Wait()
}

// inspection is one desktop while it is looked at.
type inspection struct {
	*audit
	account
	findings
	desk *desk
	gone error // why there is no desk
}

func (l *inspection) desktop(user int64) {
	if l.account.whole() {
		l.accounted++
	}
	if l.desk, l.gone = openDesk(l.root, l.p, l.known.volume, user); l.gone == nil {
		defer l.desk.close() // which was only read
		l.names()
	}
	for number, f := range l.files {
		l.file(int64(number), f)
	}
	for _, number := range []int64{l.p.large(), l.p.system()} {
		l.unchanged++
		if err := l.check(number, loaded()); err != nil {
			l.spoilt.Add("desktop %d: %v", user, err)
			continue
		}
		l.untouched++
	}
	for which, o := range l.outputs {
		l.output(which, o)
	}
}

// file looks at a document, or settings.
func (l *inspection) file(number int64, f file) {
	if f.doubt {
		l.doubtful++
		return
	}
	l.documents++
	l.acknowledged += int64(f.changes)
	if err := l.check(number, f); err != nil {
		l.wrong.Add("%v", err)
		return
	}
	l.rightly++
	l.kept += int64(f.changes)
}

// check reports how a file is not as it must be.
func (l *inspection) check(number int64, want file) error {
	if l.gone != nil {
		return l.gone
	}
	return l.desk.with(number, fileio.OpenMode{}, func(f *fileio.File) error {
		if err := sized(f, l.p.size(number)); err != nil {
			return err
		}
		return l.desk.read(f, number, want, ignore)
	})
}

func sized(f *fileio.File, want int64) error {
	size, err := f.Size()
	if err == nil && size != want {
		err = fmt.Errorf("%s has %d bytes, not %d", f.Path(), size, want)
	}
	return err
}

// output looks at a copy, an archive or a compressed file.
func (l *inspection) output(which int, o output) {
	switch {
	case o.doubt:
		l.doubtful++
		return
	case o.changes == 0:
		return
	}
	l.made++
	l.acknowledged += int64(o.changes)
	if err := l.checkOutput(which, o); err != nil {
		l.damaged.Add("%v", err)
		return
	}
	l.intact++
	l.kept += int64(o.changes)
}

// checkOutput compares one with the digest of what was written.
func (l *inspection) checkOutput(which int, o output) (err error) {
	if l.gone != nil {
		return l.gone
	}
	f, err := l.desk.home.Open(outputs[which], fileio.OpenMode{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := sized(f, o.size); err != nil {
		return err
	}
	sum := sha256.New()
	err = l.desk.pieces(o.size, func(piece []byte, offset int64) error {
		if err := f.Read(piece, offset); err != nil {
			return err
		}
		_, err := sum.Write(piece)
		return err
	})
	if err == nil && digestOf(sum.Sum(nil)) != o.digest {
		err = fmt.Errorf("%s holds something else than what was written", f.Path())
	}
	return err
}

// names looks for those that must not be there.
func (l *inspection) names() {
	l.list(l.desk.home, l.mayBeHome)
	l.list(l.desk.documents, func(name string) bool { return l.ledger.mayBe(name, 0, l.p.Documents) })
	l.list(l.desk.settings, func(name string) bool { return l.ledger.mayBe(name, l.p.Documents, l.p.changing()) })
}

func (l *inspection) list(dir *fileio.Dir, mayBe func(name string) bool) {
	names, err := dir.Names()
	if err != nil {
		l.extra++
		l.foreign.Add("%v", err)
	}
	for _, name := range names {
		if !mayBe(name) {
			l.extra++
			l.foreign.Add("%s/%s", dir.Path(), name)
		}
	}
}

// mayBeHome reports whether a name may be in the directory of a session itself.
func (l *inspection) mayBeHome(name string) bool {
	switch name {
	case documents, settings, largeName, systemName:
		return true
	}
	base, temporary := strings.CutSuffix(name, unfinished)
	which := slices.Index(outputs[:], base)
	switch {
	case which < 0:
		return false
	case temporary:
		return l.outputs[which].temporary
	}
	return l.outputs[which].changes > 0 || l.outputs[which].doubt
}

func (f *findings) add(more *findings) {
	for _, n := range []struct{ to, from *int64 }{
		{&f.accounted, &more.accounted}, {&f.acknowledged, &more.acknowledged}, {&f.kept, &more.kept}, {&f.doubtful, &more.doubtful},
		{&f.documents, &more.documents}, {&f.rightly, &more.rightly}, {&f.made, &more.made}, {&f.intact, &more.intact},
		{&f.unchanged, &more.unchanged}, {&f.untouched, &more.untouched}, {&f.extra, &more.extra},
	} {
		*n.to += *n.from
	}
	for _, e := range []struct{ to, from *fileio.Examples }{
		{&f.wrong, &more.wrong}, {&f.spoilt, &more.spoilt}, {&f.damaged, &more.damaged}, {&f.foreign, &more.foreign},
	} {
		for _, one := range *e.from {
			e.to.Add("%s", one)
		}
	}
}

func (a *audit) result(instance int) describe.Audit {
	f := &a.found
	return describe.Audit{
		Instance: instance, Acknowledged: f.acknowledged, Doubtful: f.doubtful, Present: f.kept,
		Checks: []describe.Check{
			fileio.Check(checkAccounted, int64(len(a.known.sessions)), f.accounted, nil),
			fileio.Check(checkDocuments, f.documents, f.rightly, f.wrong),
			fileio.Check(checkOutputs, f.made, f.intact, f.damaged),
			fileio.Check(checkUnchanged, f.unchanged, f.untouched, f.spoilt),
			fileio.Check(checkNames, 0, f.extra, f.foreign),
		},
	}
}

// The names of the checks.
const (
	checkAccounted = "one session accounts for every desktop"
	checkDocuments = "every document and setting is there and holds what was saved last"
	checkOutputs   = "every copy, archive and compressed file is there, whole"
	checkUnchanged = "what nobody changes is as it was"
	checkNames     = "names that must not be there"
)
