// Package pages checks a Parquet file before the library reads it, because the library
// trusts the sizes that a file declares: the footer, and the pages of a column. It refuses
// anything larger than the limit, or that unpacks to more than declared, before memory is
// allocated for it.
//
// The layout and the numbers of types, encodings and codecs follow the Apache Parquet
// format (https://parquet.apache.org/docs/file-format/).
package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/format"
)

// Bounds of a file of telemetry.
const (
	mostFooter   = 16 << 20  // bytes
	mostHeader   = 64 << 10  // bytes of the header of a page
	mostUnpacked = 64 << 20  // bytes of a page; writers make pages of about a megabyte
	mostInPage   = 1 << 24   // values
	MostRows     = 1 << 20   // of a row group: a series each; other writers begin another group there
	mostInGroup  = 1 << 25   // values of a column of a row group
	mostOfGroup  = 512 << 20 // bytes of a column of a row group, unpacked
	padding      = 504       // values by which a run of packed bits may exceed its page: 63 groups of 8
)

// Footer checks the footer of a file, of so many bytes before the last eight.
func Footer(r io.ReaderAt, size, length int64) error {
	if length > mostFooter {
		return fmt.Errorf("damaged file: its footer has %d bytes; the limit is %d", length, mostFooter)
	}
	data := make([]byte, length)
	if _, err := r.ReadAt(data, size-8-length); err != nil {
		return err
	}
	return (&structure{data: data}).skip(isStruct, 0)
}

// Group checks what the footer says of a row group.
func Group(g *format.RowGroup, size int64) error {
	if g.NumRows < 0 || g.NumRows > MostRows {
		return fmt.Errorf("a row group has %d rows; the limit is %d", g.NumRows, MostRows)
	}
	for _, c := range g.Columns {
		m := c.MetaData
		switch begin := beginOf(&m); {
		case begin < 4 || m.TotalCompressedSize < 0 || m.TotalCompressedSize > size-begin:
			return fmt.Errorf("damaged file: column %v has %d bytes from %d on, in a file of %d", m.PathInSchema, m.TotalCompressedSize, begin, size)
		case m.NumValues < 0 || m.NumValues > mostInGroup:
			return fmt.Errorf("column %v has %d values in a row group; the limit is %d", m.PathInSchema, m.NumValues, mostInGroup)
		case m.TotalUncompressedSize < 0 || m.TotalUncompressedSize > mostOfGroup:
			return fmt.Errorf("column %v has %d bytes in a row group; the limit is %d", m.PathInSchema, m.TotalUncompressedSize, mostOfGroup)
		}
	}
	return nil
}

// beginOf is where the pages of a column begin.
func beginOf(m *format.ColumnMetaData) int64 {
	if at := m.DictionaryPageOffset; at > 0 && at < m.DataPageOffset {
		return at
	}
	return m.DataPageOffset
}

// Column describes a column of a row group.
type Column struct {
	Meta                   *format.ColumnMetaData
	Repetition, Definition int  // the highest levels
	Single                 bool // that it has one value in each row
}

// Check reads the pages of a column and returns an error if their sizes are wrong.
func (c Column) Check(r io.ReaderAt) error {
	b := pool.Get().(*buffers)
	defer b.release()
	at := beginOf(c.Meta)
	end := at + c.Meta.TotalCompressedSize
	values, bytes := int64(0), int64(0)
	for at < end {
		h, length, err := headerAt(b, r, at, end)
		if err == nil {
			err = c.checkPage(b, r, h, at+length, end)
		}
		if err != nil {
			return fmt.Errorf("column %v: %w", c.Meta.PathInSchema, err)
		}
		if h.kind != dictionaryPage {
			values += h.values
		}
		at, bytes = at+length+h.packed, bytes+h.unpacked
		most := int64(mostInGroup)
		if c.Single {
			most = MostRows
		}
		if values > most || bytes > mostOfGroup {
			return fmt.Errorf("column %v: a row group has more than %d values or %d bytes", c.Meta.PathInSchema, most, mostOfGroup)
		}
	}
	return nil
}

// plainDictionary is what older writers call format.RLEDictionary.
const plainDictionary format.Encoding = 2

// Kinds of pages.
const (
	dataPage       = 0
	dictionaryPage = 2
	dataPage2      = 3
)

// header is a page header.
type header struct {
	kind             int64
	unpacked, packed int64 // bytes
	values, encoding int64
	// Of a page of version 2: bytes of the levels, and that the rest is as it is.
	definition, repetition int64
	plain                  bool
}

// headerAt reads the header of a page, and gives its length.
func headerAt(b *buffers, r io.ReaderAt, at, end int64) (h header, length int64, err error) {
	data := b.page(min(mostHeader, end-at))
	n, err := r.ReadAt(data, at)
	if err != nil && !errors.Is(err, io.EOF) {
		return h, 0, err
	}
	data = data[:n]
	s := &structure{data: data}
	err = s.fields(func(id int64, kind byte) error {
		switch {
		case kind == isI32 && id <= 3:
			return s.into(map[int64]*int64{1: &h.kind, 2: &h.unpacked, 3: &h.packed}[id])
		case kind == isStruct && id == 5:
			return s.numbers(&h, map[int64]*int64{1: &h.values, 2: &h.encoding})
		case kind == isStruct && id == 7:
			return s.numbers(&h, map[int64]*int64{1: &h.values, 2: &h.encoding})
		case kind == isStruct && id == 8:
			return s.numbers(&h, map[int64]*int64{1: &h.values, 4: &h.encoding, 5: &h.definition, 6: &h.repetition})
		}
		return s.skip(kind, 1)
	})
	if err != nil {
		return h, 0, err
	}
	length = int64(len(data) - len(s.data))
	return h, length, h.check(end - at - length)
}

// into reads a number into its place; nil is none.
func (s *structure) into(to *int64) error {
	v, err := s.signed()
	if to != nil {
		*to = v
	}
	return err
}

// numbers reads a structure's numbers that are wanted, and of version 2 whether it is packed.
func (s *structure) numbers(h *header, to map[int64]*int64) error {
	return s.fields(func(id int64, kind byte) error {
		if kind == isI32 && to[id] != nil {
			return s.into(to[id])
		}
		if id == 7 && kind == isFalse {
			h.plain = true
		}
		return s.skip(kind, 2)
	})
}

func (h header) check(left int64) error {
	switch {
	case h.packed < 0 || h.packed > left:
		return fmt.Errorf("damaged file: a page has %d bytes, and %d are left", h.packed, left)
	case h.unpacked < 0 || h.unpacked > mostUnpacked:
		return fmt.Errorf("a page unpacks to %d bytes; the limit is %d", h.unpacked, mostUnpacked)
	case h.values < 0 || h.values > mostInPage:
		return fmt.Errorf("a page has %d values; the limit is %d", h.values, mostInPage)
	case h.definition < 0 || h.repetition < 0 || h.definition > h.packed || h.repetition > h.packed-h.definition:
		return fmt.Errorf("damaged file: a page of %d bytes has levels of %d and %d", h.packed, h.repetition, h.definition)
	}
	return nil
}

// checkPage unpacks a page and checks the sizes declared inside.
func (c Column) checkPage(b *buffers, r io.ReaderAt, h header, at, end int64) error {
	if at+h.packed > end {
		return errShort
	}
	packed := b.page(h.packed)
	if n, err := r.ReadAt(packed, at); n < len(packed) {
		return err
	}
	switch h.kind {
	case dictionaryPage:
		data, err := b.unpack(c.Meta.Codec, packed, h.unpacked)
		if err == nil && h.values > int64(len(data)) {
			err = fmt.Errorf("damaged file: a dictionary of %d bytes has %d values", len(data), h.values)
		}
		return err
	case dataPage:
		data, err := b.unpack(c.Meta.Codec, packed, h.unpacked)
		for _, level := range []int{c.Repetition, c.Definition} {
			if err != nil || level == 0 {
				continue
			}
			if len(data) < 4 || int64(binary.LittleEndian.Uint32(data)) > int64(len(data)-4) {
				return errShort
			}
			n := binary.LittleEndian.Uint32(data)
			err = runs(data[4:4+n], width(level), h.values)
			data = data[4+n:]
		}
		if err != nil {
			return err
		}
		return h.checkValues(data)
	case dataPage2:
		repetition, rest := packed[:h.repetition], packed[h.repetition:]
		definition, rest := rest[:h.definition], rest[h.definition:]
		if err := errors.Join(runs(repetition, width(c.Repetition), h.values), runs(definition, width(c.Definition), h.values)); err != nil {
			return err
		}
		codec := c.Meta.Codec
		if h.plain {
			codec = format.Uncompressed
		}
		data, err := b.unpack(codec, rest, h.unpacked)
		if err != nil {
			return err
		}
		return h.checkValues(data)
	}
	return fmt.Errorf("a page is of kind %d, which telemetry has not", h.kind)
}

// width is how many bits a level takes.
func width(highest int) (bits int) {
	for ; highest > 0; highest >>= 1 {
		bits++
	}
	return bits
}

// runs checks how many values a hybrid of runs and packed bits declares.
func runs(data []byte, width int, values int64) error {
	total := uint64(0)
	for len(data) > 0 {
		head, n := binary.Uvarint(data)
		if n <= 0 {
			return errShort
		}
		count, bytes := head>>1, uint64(width+7)/8
		if head&1 == 1 {
			if count > uint64(len(data)) && width > 0 {
				return errShort
			}
			count, bytes = count*8, count*uint64(width)
		}
		if total += min(count, mostInGroup); total > uint64(values)+padding {
			return fmt.Errorf("damaged file: a page of %d values has more of them", values)
		}
		data = data[min(uint64(len(data)), uint64(n)+bytes):]
	}
	return nil
}

// checkValues checks what the values of a page declare, by their encoding.
func (h header) checkValues(data []byte) error {
	switch format.Encoding(h.encoding) {
	case format.Plain, format.ByteStreamSplit:
		return nil
	case plainDictionary, format.RLEDictionary:
		if len(data) == 0 {
			return nil
		}
		if data[0] > 32 {
			return fmt.Errorf("damaged file: a place in a dictionary has %d bits", data[0])
		}
		return runs(data[1:], int(data[0]), h.values)
	case format.DeltaBinaryPacked:
		s := &structure{data: data}
		_, err := s.unsigned()  // values of a block
		_, err2 := s.unsigned() // parts of a block
		total, err3 := s.unsigned()
		if err := errors.Join(err, err2, err3); err != nil && len(data) > 0 {
			return err
		}
		if total > uint64(h.values) {
			return fmt.Errorf("damaged file: a page of %d values has %d differences", h.values, total)
		}
		return nil
	}
	return fmt.Errorf("values are encoded as %v, which is not read; write them plain or with a dictionary", format.Encoding(h.encoding))
}
