package service_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"runtime"
	"testing"

	"plimsoll/internal/app/builtin/service"
	"plimsoll/internal/host/peer"
	"plimsoll/internal/platform/local/localtest"
)

// Silent connections of strangers, however many, do not shut out the service's own users. A
// stranger who has authenticated counts as trusted.
func TestStrangersTakeNobodysPlace(t *testing.T) {
	const most = 3
	ctx, end := context.WithCancel(t.Context())
	at, over := make(chan string, 1), make(chan error, 1)
	go func() {
		place := service.Place{Listen: "127.0.0.1:0", Most: most}
		over <- place.Serve(ctx, func(ctx context.Context, conn *peer.Conn) {
			defer context.AfterFunc(ctx, func() { conn.Close() })()
			for { // everything sent counts as a token
				var asked string
				if service.ReadFrame(conn, &asked, 100, "not ours") != nil {
					return
				}
				conn.Trust()
				_ = service.WriteFrame(conn, "is "+asked)
			}
		}, func(address string) { at <- address })
	}()
	address := <-at
	connect := func() net.Conn {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	asks := func(c net.Conn) {
		t.Helper()
		var answer string
		if err := errors.Join(service.WriteFrame(c, "x"), service.ReadFrame(c, &answer, 100, "no service")); err != nil || answer != "is x" {
			t.Errorf("%q, %v", answer, err)
		}
	}
	first := connect()
	asks(first)
	var theirs []net.Conn
	strangers := func(n int) {
		t.Helper()
		err := localtest.AsOther(t, func() error {
			for range n {
				theirs = append(theirs, connect())
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	strangers(1)
	asks(theirs[0]) // which is one of its own from here on
	strangers(10 * most)
	asks(connect())
	asks(first)
	asks(theirs[0])
	if n, err := theirs[1].Read(make([]byte, 1)); n > 0 || err == nil {
		t.Error("the first of too many strangers is served")
	}
	end()
	if err := <-over; err != nil {
		t.Error(err)
	}
}

// Who only announces a long frame is given no memory for it.
func TestAnAnnouncedFrameTakesNoMemory(t *testing.T) {
	const announced = 64 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := service.ReadFrame(bytes.NewReader(binary.BigEndian.AppendUint32(nil, announced)), new(string), announced, "not ours")
	runtime.ReadMemStats(&after)
	if !errors.Is(err, io.ErrUnexpectedEOF) || after.TotalAlloc-before.TotalAlloc > announced/16 {
		t.Errorf("%d bytes were allocated: %v", after.TotalAlloc-before.TotalAlloc, err)
	}
	var whole bytes.Buffer
	var got string
	if err := errors.Join(service.WriteFrame(&whole, "text"), service.ReadFrame(&whole, &got, 100, "not ours")); err != nil || got != "text" {
		t.Errorf("%q, %v", got, err)
	}
}
