package desktops

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"sync"

	"plimsoll/internal/workload/fileio"
)

// stream writes a file from its beginning on, and makes its digest.
type stream struct {
	file   *fileio.File
	size   int64
	digest hash.Hash
}

// Write implements io.Writer.
func (w *stream) Write(part []byte) (int, error) {
	if err := w.file.Write(part, w.size); err != nil {
		return 0, err
	}
	w.size += int64(len(part))
	return w.digest.Write(part)
}

// produce replaces an output by a new one.
func (s *session) produce(which int, make func(w io.Writer) error) error {
	o := &s.outputs[which]
	w := &stream{digest: sha256.New()}
	err := replace(s.home, outputs[which], &o.status, func(f *fileio.File) error {
		w.file = f
		s.out.Reset(w)
		return errors.Join(make(s.out), s.out.Flush())
	})
	if err == nil {
		o.changes++
		o.size, o.digest = w.size, digestOf(w.digest.Sum(nil))
	}
	return err
}

// readLarge hands over the large file, piece by piece.
func (s *session) readLarge(w io.Writer) error {
	return s.readFile(s.p.large(), loaded(), func(piece []byte) error {
		_, err := w.Write(piece)
		return err
	})
}

// copy makes a copy of the large file.
func (s *session) copy() (bytes int64, err error) {
	err = s.produce(copied, s.readLarge)
	return int64(s.p.Large) + s.outputs[copied].size, err
}

// archive puts all documents into one file (tar).
func (s *session) archive() (bytes int64, err error) {
	err = s.produce(archived, func(w io.Writer) error {
		t := tar.NewWriter(w)
		for number := range s.p.Documents {
			if err := s.entry(t, number); err != nil {
				return err
			}
		}
		return t.Close()
	})
	return s.p.Documents*int64(s.p.Document) + s.outputs[archived].size, err
}

// entry puts one document into an archive.
func (s *session) entry(t *tar.Writer, number int64) error {
	if err := s.sure(number); err != nil {
		return err
	}
	_, name := s.place(number)
	if err := t.WriteHeader(&tar.Header{Name: documents + "/" + name, Mode: 0o600, Size: s.p.size(number)}); err != nil {
		return err
	}
	return s.readFile(number, s.files[number], func(piece []byte) error {
		_, err := t.Write(piece)
		return err
	})
}

// compressors are shared: each takes over a megabyte of memory, and few sessions compress
// at once.
var compressors = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // a level that there is
	return w
}}

// compress makes a compressed copy of the large file (gzip, at its fastest).
func (s *session) compress() (bytes int64, err error) {
	err = s.produce(compressed, func(w io.Writer) error {
		z := compressors.Get().(*gzip.Writer)
		defer compressors.Put(z)
		z.Reset(w)
		return errors.Join(s.readLarge(z), z.Close())
	})
	return int64(s.p.Large) + s.outputs[compressed].size, err
}
