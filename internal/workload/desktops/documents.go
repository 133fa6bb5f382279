package desktops

import (
	"errors"
	"strconv"

	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload/fileio"
)

// sure makes certain what a document or settings hold: those in doubt are saved anew.
func (s *session) sure(number int64) error {
	if !s.files[number].doubt {
		return nil
	}
	return s.save(number)
}

// look opens a document and reads it.
func (s *session) look(number int64) (int64, error) {
	if err := s.sure(number); err != nil {
		return 0, err
	}
	return s.p.size(number), s.readFile(number, s.files[number], ignore)
}

// search reads every document.
func (s *session) search() (bytes int64, err error) {
	for number := range s.p.Documents {
		n, err := s.look(number)
		if err != nil {
			return 0, err
		}
		bytes += n
	}
	return bytes, nil
}

// edit reads a document and writes some of its blocks in place, as programs do that keep
// their data in one file: each is on the medium before the next is written.
func (s *session) edit(number int64) (bytes int64, err error) {
	if err := s.sure(number); err != nil {
		return 0, err
	}
	err = s.with(number, fileio.OpenMode{Write: true, Dsync: true}, func(f *fileio.File) error {
		if err := s.read(f, number, s.files[number], ignore); err != nil {
			return err
		}
		for range s.p.Changes {
			if err := s.change(f, number, s.random.Int64N(s.p.size(number)/block)); err != nil {
				return err
			}
		}
		return nil
	})
	return s.p.size(number) + s.p.Changes*block, err
}

// change writes one block of an open file.
func (s *session) change(f *fileio.File, number, at int64) error {
	known := &s.files[number]
	generation := known.next()
	s.content(number, generation).Fill(s.buffer[:block], at*block)
	if err := f.Write(s.buffer[:block], at*block); err != nil {
		known.doubt = true
		return err
	}
	known.changed(at, s.p.size(number)/block, generation)
	return nil
}

// save writes the whole document to a new file, which then replaces the old one.
func (s *session) save(number int64) error {
	known := &s.files[number]
	generation := known.next()
	dir, name := s.place(number)
	err := replace(dir, name, &known.status, func(f *fileio.File) error { return s.write(f, number, generation) })
	if err == nil {
		known.saved(generation)
	}
	return err
}

// browse lists the documents and asks for the size of each, as the window of a file
// manager does.
func (s *session) browse() (err error) {
	dir, err := s.root.Dir(directoriesOf(s.user)[1])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	names, err := dir.Names()
	if err != nil {
		return err
	}
	for _, name := range names {
		if !s.mayBe(name, 0, s.p.Documents) {
			return fileio.Wrong(blockcheck.Foreign, "%s/%q is not one of this session's documents", documents, name)
		}
	}
	for number := range s.p.Documents {
		name := strconv.FormatInt(number, 10)
		size, err := dir.Size(name)
		if err != nil {
			return err
		}
		if size != s.p.size(number) {
			return fileio.Wrong(fileio.WrongSize, "%s/%s has %d bytes, not %d", documents, name, size, s.p.size(number))
		}
	}
	return nil
}

// boot reads the system in pieces here and there, with an empty memory.
func (s *session) boot() (bytes int64, err error) {
	for number := range s.p.files() {
		if err := s.with(number, fileio.OpenMode{}, (*fileio.File).Forget); err != nil {
			return 0, err
		}
	}
	number := s.p.system()
	err = s.with(number, fileio.OpenMode{}, func(f *fileio.File) error {
		for _, at := range s.random.Perm(int(s.p.size(number) / bootPiece)) {
			if err := s.piece(f, number, loaded(), s.buffer[:bootPiece], int64(at)*bootPiece); err != nil {
				return err
			}
		}
		return nil
	})
	return s.p.size(number), err
}

// changedAtLogin is how many settings a login reads for each that it writes.
const changedAtLogin = 4

// login reads all settings, and writes some.
func (s *session) login() (bytes int64, err error) {
	for number := s.p.Documents; number < s.p.changing(); number++ {
		if err := s.sure(number); err != nil {
			return 0, err
		}
		writes := number%changedAtLogin == 0
		err := s.with(number, fileio.OpenMode{Write: writes, Dsync: writes}, func(f *fileio.File) error {
			if err := s.read(f, number, s.files[number], ignore); err != nil || !writes {
				return err
			}
			bytes += block
			return s.change(f, number, 0)
		})
		if err != nil {
			return 0, err
		}
		bytes += block
	}
	return bytes, nil
}
