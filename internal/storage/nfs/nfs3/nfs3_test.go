package nfs3

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"net"
	"syscall"
	"testing"
	"time"
)

func TestXDRRoundTrip(t *testing.T) {
	var e encoder
	e.uint32(7)
	e.uint64(1 << 40)
	e.bool(true)
	e.string("abcde")
	e.opaque(nil)
	if len(e.b)%4 != 0 {
		t.Fatalf("%d bytes are not whole words", len(e.b))
	}
	d := decoder{b: e.b}
	if d.uint32() != 7 || d.uint64() != 1<<40 || !d.bool() || d.string() != "abcde" || len(d.opaque()) != 0 || d.err != nil || len(d.b) != 0 {
		t.Errorf("%v, %d bytes left", d.err, len(d.b))
	}
}

func TestShortAnswerIsAnError(t *testing.T) {
	for _, b := range [][]byte{nil, {0}, {0, 0, 0, 9, 'a'}, {255, 255, 255, 255}} {
		d := decoder{b: b}
		_ = d.opaque()
		_ = d.attributes()
		if !errors.Is(d.err, errShort) {
			t.Errorf("%v: %v", b, d.err)
		}
	}
}

func FuzzAnswersDoNotPanic(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(_ *testing.T, b []byte) {
		_, _ = accepted(b)
		d := decoder{b: b}
		d.change()
		d.postAttributes()
		d.opaque()
		_, _ = readRecord(bytes.NewReader(b))
	})
}

func TestStatusBecomesTheSystemsError(t *testing.T) {
	for status, want := range map[uint32]syscall.Errno{
		2: syscall.ENOENT, 28: syscall.ENOSPC, 63: syscall.ENAMETOOLONG, 66: syscall.ENOTEMPTY, 70: syscall.ESTALE, 10006: syscall.EIO,
	} {
		if got := errno(status); got != want {
			t.Errorf("status %d: %v, want %v", status, got, want)
		}
	}
}

// A connection that breaks before the answer is made anew, and the call is
// sent again under its old number.
func TestCallSurvivesABrokenConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var numbers []uint32
	served := make(chan struct{})
	go func() {
		defer close(served)
		for attempt := range 2 {
			c, err := l.Accept()
			if err != nil {
				return
			}
			record, err := readRecord(c)
			if err == nil {
				numbers = append(numbers, binary.BigEndian.Uint32(record))
			}
			if attempt == 1 {
				var e encoder
				e.uint32(0) // mark
				for _, word := range []uint32{numbers[1], 1, 0, 0, 0, 0, 42} {
					e.uint32(word)
				}
				binary.BigEndian.PutUint32(e.b, 1<<31|uint32(len(e.b)-4))
				_, _ = c.Write(e.b)
			}
			c.Close()
		}
	}()
	c := newRPC(l.Addr().String(), nfsProgram, time.Minute)
	defer c.close()
	results, repeated, err := c.call(context.Background(), procGetattr, nil)
	<-served
	if err != nil || !repeated || len(results) != 4 || results[3] != 42 {
		t.Errorf("%v, repeated %v, %v", results, repeated, err)
	}
	if len(numbers) != 2 || numbers[0] != numbers[1] {
		t.Errorf("numbers %v", numbers)
	}
}

func TestNobodyAnswers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	c := newRPC(address, nfsProgram, 300*time.Millisecond)
	defer c.close()
	if _, _, err := c.call(context.Background(), procGetattr, nil); err == nil {
		t.Error("a call without a server succeeded")
	}
}
