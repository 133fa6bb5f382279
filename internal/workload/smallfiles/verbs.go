package smallfiles

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// perform does the operation of one unit. Bytes is the content that was moved.
func (w *worker) perform() (bytes int64, err error) {
	verb, number := w.choose()
	if verb == list {
		return 0, w.time(list, func() error { return w.list(w.tree.ownLeaf(w.number, number)) })
	}
	if err := w.ready(verb, number); err != nil {
		return 0, err
	}
	return w.do(verb, number)
}

// choose returns the next operation and the number of a file, or of one of the
// worker's directories.
func (w *worker) choose() (verb string, number int64) {
	if w.p.Operation != mixed {
		return w.p.Operation, w.turn % w.units()
	}
	switch verb = w.p.Mix.Draw(w.random); verb {
	case list:
		return verb, w.random.Int64N(w.tree.ownLeaves(w.number))
	default:
		return verb, w.all.draw(w.random, verb == create)
	}
}

// ready prepares a file for an operation: it must not exist for create, and must exist for
// all others. A file in doubt is removed first.
func (w *worker) ready(verb string, number int64) error {
	if w.all.files[number].is(doubtful) {
		if err := w.clear(number); err != nil {
			return err
		}
	}
	is := w.all.files[number].is(present)
	switch {
	case verb == create && is:
		_, err := w.do(remove, number)
		return err
	case verb != create && !is:
		_, err := w.do(create, number)
		return err
	}
	return nil
}

// do does one operation to a file, reports it and notes how the file is then.
func (w *worker) do(verb string, number int64) (bytes int64, err error) {
	at := w.tree.place(w.number, number)
	dir, err := w.leaves.of(at.tree, w.tree.leaf(at))
	if err != nil {
		return 0, err
	}
	t := &fileOperation{worker: w, dir: dir, at: at.at, before: w.all.files[number], content: fileio.Content{Volume: w.volume, File: w.tree.number(w.number, number)}}
	t.after = t.before
	err = w.time(verb, func() error { return t.does(verb) })
	switch {
	case err == nil:
		w.all.set(number, t.after)
	case t.begun && changes(verb) && !untouched(err):
		t.before.state |= doubtful
		w.all.set(number, t.before)
	}
	if err != nil {
		return 0, err
	}
	return w.p.moves(verb, t.before), nil
}

// time reports how long an operation took, if it is one of those that are reported.
func (w *worker) time(verb string, do func() error) error {
	begun := workload.Now()
	err := do()
	took := time.Since(begun)
	w.ended = begun.Add(took)
	operation, reported := w.numbers[verb]
	if !reported {
		return err
	}
	w.rec.Observe(operation, begun, took, workload.OutcomeOf(err))
	return err
}

// clear removes a file that is in doubt, whatever its name.
func (w *worker) clear(number int64) error {
	at := w.tree.place(w.number, number)
	dir, err := w.leaves.of(at.tree, w.tree.leaf(at))
	if err != nil {
		return err
	}
	for _, is := range []bool{false, true} {
		if err := dir.Remove(fileName(at.at, is)); err != nil && !errors.Is(err, unix.ENOENT) {
			return err
		}
	}
	f := w.all.files[number]
	f.state = 0
	w.all.set(number, f)
	return nil
}

// moves is how much content an operation on a file moves.
func (p *Parameters) moves(verb string, f file) int64 {
	switch verb {
	case create:
		return p.bytes(false)
	case read:
		return p.bytes(f.appended != 0)
	case extend:
		return int64(p.AppendSize)
	}
	return 0
}

// changes reports whether a verb changes files.
func changes(verb string) bool { return verb != read && verb != stat && verb != list }

// untouched reports whether a change failed before it began.
func untouched(err error) bool {
	for _, errno := range []error{unix.ENOENT, unix.EEXIST, unix.EROFS, unix.EMFILE, unix.ENFILE} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// fileOperation is one operation on one file.
type fileOperation struct {
	*worker
	dir           *fileio.Dir
	at            int64 // number that the name is made from
	before, after file
	content       fileio.Content
	begun         bool // something may have changed
}

func (t *fileOperation) does(verb string) error {
	switch verb {
	case create:
		return t.create()
	case read:
		return t.read()
	case extend:
		return t.extend()
	case stat:
		return t.stat()
	case rename:
		return t.rename()
	}
	return t.remove()
}

// create makes the file and writes its content. What could not be written in
// full is removed again.
func (t *fileOperation) create() (err error) {
	name := fileName(t.at, false)
	f, err := t.dir.Open(name, fileio.OpenMode{Create: true})
	if err != nil {
		t.begun = true
		return err
	}
	t.after = file{changes: t.before.changes + 1, content: t.before.next(), state: present}
	t.content.Generation = t.after.content
	err = t.finish(f, t.records.write(f, t.content, 0, t.p.bytes(false)))
	if err != nil {
		t.begun = t.dir.Remove(name) != nil
	}
	return err
}

// finish flushes and closes a file that was written.
func (t *fileOperation) finish(f *fileio.File, err error) error {
	if err == nil && t.p.Flush {
		err = t.time(flush, f.Flush)
	}
	return errors.Join(err, f.Close())
}

// read reads all of the file.
func (t *fileOperation) read() (err error) {
	f, err := t.dir.Open(t.before.name(t.at), fileio.OpenMode{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return t.records.verify(f, t.content, t.before)
}

// extend appends to the file. What was appended before is cut off first, so
// that files do not grow for ever.
func (t *fileOperation) extend() error {
	f, err := t.dir.Open(t.before.name(t.at), fileio.OpenMode{Write: true})
	if err != nil {
		return err
	}
	t.begun = true
	t.after.appended, t.after.changes = t.before.next(), t.before.changes+1
	t.content.Generation = t.after.appended
	if t.before.appended != 0 {
		err = f.Truncate(t.p.bytes(false))
	}
	if err == nil {
		err = t.records.write(f, t.content, t.p.bytes(false), t.p.bytes(true))
	}
	return t.finish(f, err)
}

// stat asks for the size of the file.
func (t *fileOperation) stat() error {
	name := t.before.name(t.at)
	has, err := t.dir.Size(name)
	if err != nil {
		return err
	}
	if want := t.p.bytes(t.before.appended != 0); has != want {
		return fileio.Wrong(fileio.WrongSize, "%s has %d bytes, not %d", name, has, want)
	}
	return nil
}

// rename gives the file its other name, in the same directory.
func (t *fileOperation) rename() error {
	t.begun = true
	t.after.state ^= moved
	t.after.changes++
	return t.flushed(t.dir.Rename(t.before.name(t.at), t.dir, t.after.name(t.at)))
}

// remove deletes the file.
func (t *fileOperation) remove() error {
	t.begun = true
	t.after.state = 0
	t.after.changes++
	return t.flushed(t.dir.Remove(t.before.name(t.at)))
}

// flushed flushes the directory after a change.
func (t *fileOperation) flushed(err error) error {
	if err != nil || !t.p.Flush {
		return err
	}
	return t.time(flush, t.dir.Flush)
}
