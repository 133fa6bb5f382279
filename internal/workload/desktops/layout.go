package desktops

import (
	"errors"
	"fmt"
	"strconv"

	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload/fileio"
)

// Below the directory top each session has one by its number:
//
//	3/documents/17    document 17; 17.new while it is saved
//	3/settings/5
//	3/large 3/system  which nobody changes
//	3/copy 3/archive 3/compressed
const (
	top        = "desktops"
	documents  = "documents"
	settings   = "settings"
	largeName  = "large"
	systemName = "system"
	unfinished = ".new" // at the end of a name, until the file takes it
)

// outputs are the names of what copying, archiving and compressing make.
var outputs = [...]string{"copy", "archive", "compressed"}

// Numbers of outputs.
const (
	copied = iota
	archived
	compressed
)

// archiveEntry is the approximate overhead of a document in an archive, in bytes.
const archiveEntry = 1 << 10

// files is how many there are of each session before the load: documents, settings, the
// large one, the system. They are numbered in this order.
func (p *Parameters) files() int64 { return p.Documents + p.Settings + 2 }

// changing is how many of them sessions change.
func (p *Parameters) changing() int64 { return p.Documents + p.Settings }

func (p *Parameters) large() int64  { return p.changing() }
func (p *Parameters) system() int64 { return p.changing() + 1 }

// size returns the size of a file by its number, in bytes.
func (p *Parameters) size(number int64) int64 {
	switch {
	case number < p.Documents:
		return int64(p.Document)
	case number < p.changing():
		return block
	case number == p.large():
		return int64(p.Large)
	}
	return int64(p.System)
}

// space is what a session's files take at most, with those that are about to replace others.
func (p *Parameters) space() (bytes int64) {
	archive := p.Documents * (int64(p.Document) + archiveEntry)
	for number := range p.files() {
		bytes += p.size(number)
	}
	large := int64(p.Large) + int64(p.Large)/100 + block // what cannot be compressed grows
	return bytes + archive + 2*large + max(archive, large)
}

// desk is the open directory of one session.
type desk struct {
	p         *Parameters
	root      *fileio.Root
	volume    uint64 // identity
	user      int64
	home      *fileio.Dir
	documents *fileio.Dir
	settings  *fileio.Dir
	buffer    []byte // of a piece, full of what cannot be compressed
}

// pieceBytes is the most that one call reads or writes.
const pieceBytes = 256 << 10

func homeOf(user int64) string { return top + "/" + strconv.FormatInt(user, 10) }

// directoriesOf returns the directories of a session, the outer one first.
func directoriesOf(user int64) []string {
	home := homeOf(user)
	return []string{home, home + "/" + documents, home + "/" + settings}
}

// openDesk opens the directories of a session that was prepared.
func openDesk(root *fileio.Root, p *Parameters, volume uint64, user int64) (*desk, error) {
	d := &desk{p: p, root: root, volume: volume, user: user, buffer: make([]byte, pieceBytes)}
	blockcheck.Random(d.buffer, volume+uint64(user))
	paths := directoriesOf(user)
	for i, dir := range []**fileio.Dir{&d.home, &d.documents, &d.settings} {
		var err error
		if *dir, err = root.Dir(paths[i]); err != nil {
			return nil, errors.Join(err, d.close())
		}
	}
	return d, nil
}

// close lets go of the directories.
func (d *desk) close() (err error) {
	for _, dir := range []*fileio.Dir{d.home, d.documents, d.settings} {
		if dir != nil {
			err = errors.Join(err, dir.Close())
		}
	}
	return err
}

// place is where a file lies, by its number.
func (d *desk) place(number int64) (dir *fileio.Dir, name string) {
	switch p := d.p; {
	case number < p.Documents:
		return d.documents, strconv.FormatInt(number, 10)
	case number < p.changing():
		return d.settings, strconv.FormatInt(number-p.Documents, 10)
	case number == p.large():
		return d.home, largeName
	}
	return d.home, systemName
}

// content is what a block of a file holds after it was written for so many times.
func (d *desk) content(number int64, generation uint32) fileio.Content {
	return fileio.Content{Volume: d.volume, File: uint64(d.user*d.p.files()+number) + 1, Generation: generation}
}

// pieces visits a file in pieces of the buffer.
func (d *desk) pieces(size int64, visit func(piece []byte, offset int64) error) error {
	return fileio.Pieces(d.buffer, 0, size, visit)
}

// write writes all of a file.
func (d *desk) write(f *fileio.File, number int64, generation uint32) error {
	c := d.content(number, generation)
	return d.pieces(d.p.size(number), func(piece []byte, offset int64) error {
		for at := 0; at < len(piece); at += block {
			c.Fill(piece[at:at+block], offset+int64(at))
		}
		return f.Write(piece, offset)
	})
}

// piece reads a part of a file in whole blocks and compares it with the known state.
func (d *desk) piece(f *fileio.File, number int64, known file, piece []byte, offset int64) error {
	if err := f.Read(piece, offset); err != nil {
		return err
	}
	for at := int64(0); at < int64(len(piece)); at += block {
		c := d.content(number, known.generation((offset+at)/block))
		if err := c.Check(piece[at:at+block], offset+at); err != nil {
			return fmt.Errorf("%s: %w", f.Path(), err)
		}
	}
	return nil
}

// read reads all of an open file and passes verified pieces to take.
func (d *desk) read(f *fileio.File, number int64, known file, take func(piece []byte) error) error {
	return d.pieces(d.p.size(number), func(piece []byte, offset int64) error {
		if err := d.piece(f, number, known, piece, offset); err != nil {
			return err
		}
		return take(piece)
	})
}

// readFile opens, reads and closes a file.
func (d *desk) readFile(number int64, known file, take func(piece []byte) error) error {
	return d.with(number, fileio.OpenMode{}, func(f *fileio.File) error { return d.read(f, number, known, take) })
}

// with does something with an open file.
func (d *desk) with(number int64, how fileio.OpenMode, do func(f *fileio.File) error) (err error) {
	dir, name := d.place(number)
	f, err := dir.Open(name, how)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return do(f)
}

// ignore takes what was only to be read.
func ignore([]byte) error { return nil }
