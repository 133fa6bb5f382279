package smallfiles

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"

	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// Audit lists every directory and reads every file, and compares that with what
// the workers know: which files must be there, under which name and with which
// content, and which must not.
func (Workload) Audit(ctx context.Context, t workload.Target, p workload.Parameters, seed uint64, receipts workload.Receipts) (describe.Audit, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return describe.Audit{}, err
	}
	a := audit{p: own, seed: seed, known: claims{files: own.Files, most: usersOf(t)}}
	if err := receipts.Each(a.known.add); err != nil {
		return describe.Audit{}, err
	}
	a.tree = newTree(own, usersOf(t))
	if a.root, err = fileio.OpenVolume(t.Endpoint(fileio.VolumeRole)); err != nil {
		return describe.Audit{}, err
	}
	if _, err = a.root.Identity(ownerOf(t, own)); err == nil {
		err = a.look(ctx)
	}
	return a.result(t.Instance), errors.Join(err, a.root.Close())
}

// audit is one instance while it is audited.
type audit struct {
	p     *Parameters
	seed  uint64
	known claims
	tree  tree
	root  *fileio.Root

	lock  sync.Mutex
	found findings
}

// findings is what was found in some directories.
type findings struct {
	acknowledged, doubtful, kept int64 // changes; files; changes
	expected                     int64 // files that must be there
	there, sized, right          int64 // of those
	extra                        int64 // names that must not be there

	missing, wrongSize, wrong, foreign fileio.Examples
}

// auditors is how many directories are looked at at once.
const auditors = 8

func (a *audit) look(ctx context.Context) error {
	if a.known.users == 0 {
		return nil // nobody says how anything must be
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(auditors)
	for tree := range a.tree.trees() {
		for leaf := range a.tree.leaves {
			g.Go(func() error { return a.leaf(ctx, tree, leaf) })
		}
	}
	return g.Wait()
}

// leaf looks at one directory.
func (a *audit) leaf(ctx context.Context, tree, leaf int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l := directoryAudit{audit: a, path: a.tree.path(tree, leaf), at: tree, names: map[string]bool{}, records: newRecords(a.p, a.seed)}
	l.from, l.to = a.tree.within(leaf)
	dir, err := a.root.Dir(l.path)
	if err == nil {
		defer dir.Close() // which was only read
		l.dir = dir
		err = l.list()
	}
	if err != nil {
		l.missing.Add("%s: %v", l.path, err)
	}
	for at := l.from; at < l.to && ctx.Err() == nil; at++ {
		l.file(at)
	}
	a.lock.Lock()
	defer a.lock.Unlock()
	a.found.add(&l.findings)
	return ctx.Err()
}

// directoryAudit is the audit of one directory.
type directoryAudit struct {
	*audit
	findings
	path     string
	at       int64 // the tree
	from, to int64 // files
	dir      *fileio.Dir
	names    map[string]bool // that are there
	records  records
}

// list reads the names that are there, and notes those that must not be.
func (l *directoryAudit) list() error {
	names, err := l.dir.Names()
	for _, name := range names {
		l.names[name] = true
		at, is, ours := readName(name)
		if ours && at >= l.from && at < l.to && l.want(at).mayBe(is) {
			continue
		}
		l.extra++
		l.foreign.Add("%s/%s", l.path, name)
	}
	return err
}

// mayBe reports whether a file may be there under one of its names.
func (f file) mayBe(other bool) bool {
	return f.is(doubtful|unaccounted) || f.is(present) && f.is(moved) == other
}

// want is how a file must be.
func (l *directoryAudit) want(at int64) file {
	worker, number := l.tree.owner(place{l.at, at})
	if worker >= l.known.users {
		return file{state: unaccounted}
	}
	return l.known.workers[worker][number]
}

// file looks at one file.
func (l *directoryAudit) file(at int64) {
	f := l.want(at)
	switch {
	case f.is(unaccounted):
		return
	case f.is(doubtful):
		l.doubtful++
		return
	}
	l.acknowledged += int64(f.changes)
	if f.is(present) && l.check(f, at) || !f.is(present) && !l.names[fileName(at, false)] && !l.names[fileName(at, true)] {
		l.kept += int64(f.changes)
	}
}

// check reports whether a file that must be there is as it must be.
func (l *directoryAudit) check(f file, at int64) bool {
	l.expected++
	name := f.name(at)
	if !l.names[name] {
		l.missing.Add("%s/%s", l.path, name)
		return false
	}
	l.there++
	size, err := l.dir.Size(name)
	if want := l.p.bytes(f.appended != 0); err != nil || size != want {
		l.wrongSize.Add("%s/%s has %d bytes, not %d (%v)", l.path, name, size, want, err)
		return false
	}
	l.sized++
	if err := l.content(f, at, name); err != nil {
		l.wrong.Add("%v", err)
		return false
	}
	l.right++
	return true
}

func (l *directoryAudit) content(f file, at int64, name string) error {
	if !l.p.Verify {
		return nil
	}
	open, err := l.dir.Open(name, fileio.OpenMode{})
	if err != nil {
		return err
	}
	worker, number := l.tree.owner(place{l.at, at})
	c := fileio.Content{Volume: l.known.volume, File: l.tree.number(worker, number)}
	return errors.Join(l.records.verify(open, c, f), open.Close())
}

func (f *findings) add(more *findings) {
	f.acknowledged += more.acknowledged
	f.doubtful += more.doubtful
	f.kept += more.kept
	f.expected += more.expected
	f.there += more.there
	f.sized += more.sized
	f.right += more.right
	f.extra += more.extra
	for _, e := range []struct{ to, from *fileio.Examples }{
		{&f.missing, &more.missing}, {&f.wrongSize, &more.wrongSize}, {&f.wrong, &more.wrong}, {&f.foreign, &more.foreign},
	} {
		for _, one := range *e.from {
			e.to.Add("%s", one)
		}
	}
}

func (a *audit) result(instance int) describe.Audit {
	f := &a.found
	checks := []describe.Check{
		fileio.Check(checkCovered, a.tree.users*a.tree.files, a.known.covered, nil),
		fileio.Check(checkOnce, 0, a.known.twice, nil),
		fileio.Check(checkThere, f.expected, f.there, f.missing),
		fileio.Check(checkGone, 0, f.extra, f.foreign),
		fileio.Check(checkSize, f.there, f.sized, f.wrongSize),
	}
	if a.p.Verify {
		checks = append(checks, fileio.Check(checkContent, f.sized, f.right, f.wrong))
	}
	return describe.Audit{Instance: instance, Acknowledged: f.acknowledged, Doubtful: f.doubtful, Present: f.kept, Checks: checks}
}

// The names of the checks.
const (
	checkCovered = "a worker accounts for every file"
	checkOnce    = "files that two workers account for"
	checkThere   = "every file that must be there is, under its name"
	checkGone    = "names that must not be there"
	checkSize    = "every file has its size"
	checkContent = "every file holds what was written to it last"
)
