package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Types of values in Thrift's compact protocol
// (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md).
const (
	isTrue   = 1
	isFalse  = 2
	isByte   = 3
	isI16    = 4
	isI32    = 5
	isI64    = 6
	isDouble = 7
	isBinary = 8
	isList   = 9
	isSet    = 10
	isMap    = 11
	isStruct = 12
	isUUID   = 16
)

// Bounds of what a structure of a file may hold.
const (
	deepest      = 32
	mostElements = 1 << 20 // of all lists; a row group of telemetry has about two hundred
)

var errShort = errors.New("damaged file: a structure is longer than its place")

// structure reads a value of Thrift's compact protocol without making anything of it: no list
// or text in it is longer than the bytes that are left.
type structure struct {
	data     []byte
	elements int // of lists so far
}

func (s *structure) take(n uint64) ([]byte, error) {
	if n > uint64(len(s.data)) {
		return nil, errShort
	}
	taken := s.data[:n]
	s.data = s.data[n:]
	return taken, nil
}

func (s *structure) unsigned() (uint64, error) {
	v, n := binary.Uvarint(s.data)
	if n <= 0 {
		return 0, errShort
	}
	s.data = s.data[n:]
	return v, nil
}

// signed is a number of a zigzag encoding.
func (s *structure) signed() (int64, error) {
	v, err := s.unsigned()
	return int64(v>>1) ^ -int64(v&1), err
}

// fields visits the fields of a structure, whose values the visitor takes or skips.
func (s *structure) fields(visit func(id int64, kind byte) error) error {
	id := int64(0)
	for {
		head, err := s.take(1)
		if err != nil {
			return err
		}
		if head[0] == 0 {
			return nil
		}
		if delta := int64(head[0] >> 4); delta > 0 {
			id += delta
		} else if id, err = s.signed(); err != nil {
			return err
		}
		if err := visit(id, head[0]&0xf); err != nil {
			return err
		}
	}
}

// skip passes by a value of a structure's field.
func (s *structure) skip(kind byte, depth int) error {
	if depth > deepest {
		return fmt.Errorf("damaged file: more than %d structures lie within each other", deepest)
	}
	var err error
	switch kind {
	case isTrue, isFalse:
	case isByte:
		_, err = s.take(1)
	case isI16, isI32, isI64:
		_, err = s.unsigned()
	case isDouble:
		_, err = s.take(8)
	case isUUID:
		_, err = s.take(16)
	case isBinary:
		var n uint64
		if n, err = s.unsigned(); err == nil {
			_, err = s.take(n)
		}
	case isList, isSet:
		err = s.skipList(depth)
	case isMap:
		err = s.skipMap(depth)
	case isStruct:
		err = s.fields(func(_ int64, kind byte) error { return s.skip(kind, depth+1) })
	default:
		err = fmt.Errorf("damaged file: a structure has a value of type %d, which there is not", kind)
	}
	return err
}

func (s *structure) skipList(depth int) error {
	head, err := s.take(1)
	if err != nil {
		return err
	}
	n := uint64(head[0] >> 4)
	if n == 15 {
		if n, err = s.unsigned(); err != nil {
			return err
		}
	}
	return s.skipElements(n, depth, head[0]&0xf)
}

func (s *structure) skipMap(depth int) error {
	n, err := s.unsigned()
	if err != nil || n == 0 {
		return err
	}
	kinds, err := s.take(1)
	if err != nil {
		return err
	}
	return s.skipElements(n, depth, kinds[0]>>4, kinds[0]&0xf)
}

// skipElements passes by so many elements, each of values of some types.
func (s *structure) skipElements(n uint64, depth int, kinds ...byte) error {
	if n > uint64(len(s.data)) {
		return errShort
	}
	if s.elements += int(n); s.elements > mostElements {
		return fmt.Errorf("damaged file: its lists have more than %d elements", mostElements)
	}
	for range n {
		for _, kind := range kinds {
			if kind == isTrue || kind == isFalse { // one byte each in a list
				kind = isByte
			}
			if err := s.skip(kind, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}
