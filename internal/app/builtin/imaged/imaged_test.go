package imaged

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/app/builtin/transfer"
	"plimsoll/internal/app/builtin/transfer/content"
	"plimsoll/internal/host/simnet/link"
	"plimsoll/test/quick"
)

const token = "a secret"

var made = content.Item{Seed: 3, Number: 1, Size: 12*content.Grain + 99, Data: 60, Entropy: 40}

// start runs a service until the test ends.
func start(t *testing.T, from *Place, over link.Link) (at Place, dir string) {
	t.Helper()
	c := Config{Store: t.TempDir(), Token: token, Link: over, From: from}
	at = Place{Network: "tcp", Token: token}
	if over.Path == link.Direct {
		c.Listen = "127.0.0.1:0"
	} else {
		if os.Geteuid() != 0 {
			t.Skip("a link in this process needs root")
		}
		c.Socket = filepath.Join(t.TempDir(), "imaged.sock")
		at.Network, at.Address = "unix", c.Socket
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- Serve(ctx, c, io.Discard, func(at string) { ready <- at }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case address := <-ready:
		if over.Path == link.Direct {
			at.Address = address
		}
	case err := <-ended:
		ended <- nil
		t.Fatal(err)
	}
	return at, c.Store
}

// ways lists the ways of moving an item between two services.
func ways() map[string]Way {
	return map[string]Way{
		"as it is":              {Format: transfer.Packed, Holes: true},
		"with a checksum":       {Format: transfer.Packed, Checksum: transfer.MD5, Holes: true},
		"encrypted":             {Format: transfer.Gzip, Checksum: transfer.SHA256, TLS: true, Holes: true},
		"with zeros for holes":  {Format: transfer.Zstd, Checksum: transfer.SHA256, TLS: true},
		"encrypted, as it is":   {Format: transfer.Packed, TLS: true, Holes: true},
		"compressed and in the": {Format: transfer.Gzip, Checksum: transfer.MD5, Holes: true},
	}
}

func TestFetch(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	source, _ := start(t, nil, link.Link{})
	destination, _ := start(t, &source, link.Link{})
	for _, format := range []string{transfer.Raw, transfer.Gzip} {
		if err := source.Make(t.Context(), "item-"+format, format, made); err != nil {
			t.Fatal(err)
		}
	}
	want, err := source.Sum(t.Context(), "item-raw", transfer.Raw)
	if err != nil {
		t.Fatal(err)
	}
	for name, way := range ways() {
		for _, formats := range [][2]string{{transfer.Raw, transfer.Raw}, {transfer.Gzip, transfer.Gzip}, {transfer.Gzip, transfer.Raw}} {
			a, err := destination.Fetch(t.Context(), "item-"+formats[0], formats[0], "copy", formats[1], way)
			if err != nil {
				t.Errorf("%s, %s: %v", name, formats, err)
				continue
			}
			got, err := destination.Sum(t.Context(), "copy", formats[1])
			if err != nil || got.Digest != want.Digest || way.Holes && got.Holes != want.Holes {
				t.Errorf("%s, %s: %+v, want %+v: %v", name, formats, got, want, err)
			}
			var stages []string
			for _, s := range a.Stages {
				stages = append(stages, s.Name)
				if s.Bytes == 0 || s.Busy < 0 || s.Before < 0 || s.After < 0 {
					t.Errorf("%s, %s: %+v", name, formats, s)
				}
			}
			if expected := expectedStages(way, formats[0], formats[1]); !slices.Equal(stages, expected) {
				t.Errorf("%s, %s: stages %v, want %v", name, formats, stages, expected)
			}
			if err := destination.Remove(t.Context(), "copy"); err != nil {
				t.Error(err)
			}
		}
	}
	if all, err := destination.List(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("%v is left, %v", all, err)
	}
}

func expectedStages(way Way, from, to string) (all []string) {
	step := func(name string, when bool) {
		if when {
			all = append(all, name)
		}
	}
	from, to = transfer.OnTheWay(from), transfer.OnTheWay(to)
	convert := func(a, b string) {
		step("decompress", a != b && a != transfer.Packed)
		step("compress", a != b && b != transfer.Packed)
	}
	sums := way.Checksum != "" && way.Checksum != transfer.NoChecksum
	step("read", true)
	convert(from, way.Format)
	step("checksum", sums)
	step("encrypt", way.TLS)
	step("send", true)
	step("receive", true)
	step("decrypt", way.TLS)
	step("checksum", sums)
	convert(way.Format, to)
	step("write", true)
	step("flush", true)
	return all
}

// contentOf makes an item in the format of a way.
func contentOf(way Way) []transfer.Stage {
	return append([]transfer.Stage{transfer.Making(made.Size, made.Each)}, transfer.Converting(transfer.Packed, way.Format)...)
}

func TestImportAndExport(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	at, _ := start(t, nil, link.Link{})
	for name, way := range ways() {
		if _, err := at.Import(t.Context(), contentOf(way), "item", transfer.Raw, way); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want, err := at.Sum(t.Context(), "item", transfer.Raw)
		if err != nil {
			t.Fatal(err)
		}
		var sum transfer.Summer
		a, err := at.Export(t.Context(), "item", transfer.Raw, way, append(transfer.Converting(way.Format, transfer.Packed), sum.Stage()))
		if got := sum.Result(); err != nil || got.Digest != want.Digest || len(a.Stages) == 0 || a.Moved == 0 {
			t.Errorf("%s: %+v, want %+v: %+v, %v", name, got, want, a, err)
		}
		if err := at.Remove(t.Context(), "item"); err != nil {
			t.Error(err)
		}
	}
}

func TestCopiesWithinAStore(t *testing.T) {
	at, _ := start(t, nil, link.Link{})
	for _, format := range []string{transfer.Raw, transfer.Gzip} {
		if err := at.Make(t.Context(), format, format, made); err != nil {
			t.Fatal(err)
		}
	}
	a, err := at.Clone(t.Context(), "raw", "clone")
	if err != nil || len(a.Stages) != 2 {
		t.Errorf("%+v, %v", a, err)
	}
	a, err = at.Expand(t.Context(), "gzip", transfer.Gzip, "expanded", transfer.Raw, Way{Holes: true, Checksum: transfer.MD5})
	if err != nil || len(a.Stages) != 5 {
		t.Errorf("%+v, %v", a, err)
	}
	want, _ := at.Sum(t.Context(), "raw", transfer.Raw)
	for _, name := range []string{"clone", "expanded"} {
		if got, err := at.Sum(t.Context(), name, transfer.Raw); err != nil || got.Digest != want.Digest || got.Holes != want.Holes {
			t.Errorf("%s: %+v, want %+v: %v", name, got, want, err)
		}
	}
}

// Ten are fetched at once, and one cannot be: the others arrive, and nothing is left of it. Why is
// said over an encrypted connection, too.
func TestTenWithOneBad(t *testing.T) {
	source, _ := start(t, nil, link.Link{})
	destination, _ := start(t, &source, link.Link{})
	for n := range 9 {
		if err := source.Make(t.Context(), string(rune('a'+n)), transfer.Raw, made); err != nil {
			t.Fatal(err)
		}
	}
	errs := make(chan error, 10)
	for n := range 10 {
		go func() {
			name := string(rune('a' + n))
			_, err := destination.Fetch(t.Context(), name, transfer.Raw, name, transfer.Raw, Way{Format: transfer.Packed, Holes: true, TLS: n%2 == 1})
			errs <- err
		}()
	}
	failed := 0
	for range 10 {
		if err := <-errs; err != nil {
			failed++
			if classOf(err) != NoSuchItem {
				t.Errorf("class %q: %v", classOf(err), err)
			}
		}
	}
	all, err := destination.List(t.Context())
	if failed != 1 || err != nil || !slices.Equal(all, strings.Split("abcdefghi", "")) {
		t.Errorf("%d failed; %v, %v", failed, all, err)
	}
}

// A relay between two services passes on so many bytes, does something, and goes on.
func relay(t *testing.T, to string, after int64, then func(in, out net.Conn) error) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				in.Close()
				continue
			}
			go func() { _, _ = io.Copy(out, in); _ = out.(*net.TCPConn).CloseWrite() }()
			go func() {
				defer in.Close()
				defer out.Close()
				if _, err := io.CopyN(in, out, after); err != nil {
					return
				}
				if then(in, out) == nil {
					_, _ = io.Copy(in, out)
				}
			}()
		}
	}()
	return l.Addr().String()
}

// What becomes of an item whose way is disturbed: it fails by what happened, and leaves
// nothing, or goes on.
func TestDisturbedWays(t *testing.T) {
	source, _ := start(t, nil, link.Link{})
	if err := source.Make(t.Context(), "item", transfer.Raw, made); err != nil {
		t.Fatal(err)
	}
	flip := func(in, out net.Conn) error {
		var b [1]byte
		if _, err := io.ReadFull(out, b[:]); err != nil {
			return err
		}
		b[0] ^= 1
		_, err := in.Write(b[:])
		return err
	}
	for name, c := range map[string]struct {
		then  func(in, out net.Conn) error
		way   Way
		class string
	}{
		"a byte is changed":            {flip, Way{Checksum: transfer.MD5}, Mismatch},
		"a byte is changed, encrypted": {flip, Way{TLS: true}, "other"},
		"the connection is cut":        {func(in, out net.Conn) error { return io.EOF }, Way{}, "connection-lost"},
		"it comes back":                {func(in, out net.Conn) error { time.Sleep(50 * time.Millisecond); return nil }, Way{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			through := source
			through.Address = relay(t, source.Address, 1_000_000, c.then)
			destination, _ := start(t, &through, link.Link{})
			c.way.Format, c.way.Holes = transfer.Packed, true
			_, err := destination.Fetch(t.Context(), "item", transfer.Raw, "copy", transfer.Raw, c.way)
			if class := classOf(err); (err == nil) != (c.class == "") || err != nil && c.class != "other" && class != c.class {
				t.Errorf("class %q: %v", class, err)
			}
			left, err := destination.List(t.Context())
			if want := map[bool]int{true: 1}[c.class == ""]; err != nil || len(left) != want {
				t.Errorf("%v is left, %v", left, err)
			}
		})
	}
}

// A transfer whose user has gone is given up and leaves nothing.
func TestCancelled(t *testing.T) {
	source, _ := start(t, nil, link.Link{})
	if err := source.Make(t.Context(), "item", transfer.Raw, made); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	through := source
	stuck := make(chan struct{})
	t.Cleanup(func() { close(stuck) })
	through.Address = relay(t, source.Address, 1_000_000, func(net.Conn, net.Conn) error {
		cancel()
		<-stuck
		return io.EOF
	})
	destination, dir := start(t, &through, link.Link{})
	if _, err := destination.Fetch(ctx, "item", transfer.Raw, "copy", transfer.Raw, Way{Format: transfer.Packed}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for { // the service has its own time
		left, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(left) == 0 {
			return
		}
		if t.Context().Err() != nil {
			t.Fatalf("%v is left", left)
		}
		time.Sleep(time.Millisecond)
	}
}

// A cancelled import leaves nothing, and a service that refuses one gives the reason.
func TestImportsThatFail(t *testing.T) {
	at, _ := start(t, nil, link.Link{})
	broken := errors.New("broken")
	fails := transfer.Stage{Name: "fails", Run: func(_ *transfer.Input, out *transfer.Output) error {
		_, err := out.Write(make([]byte, 1<<20))
		return errors.Join(err, broken)
	}}
	for _, secure := range []bool{false, true} {
		way := Way{Format: transfer.Packed, TLS: secure}
		if _, err := at.Import(t.Context(), []transfer.Stage{fails}, "item", transfer.Packed, way); err == nil {
			t.Error("an import whose user gave up has succeeded")
		}
		if err := at.Make(t.Context(), "there", transfer.Raw, content.Item{Size: 1}); err != nil {
			t.Fatal(err)
		}
		_, err := at.Import(t.Context(), contentOf(way), "there", transfer.Raw, way)
		if classOf(err) != AlreadyHere {
			t.Errorf("class %q: %v", classOf(err), err)
		}
		if err := at.Remove(t.Context(), "there"); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := at.List(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("%v is left, %v", all, err)
	}
}

func TestStrangersAreRefused(t *testing.T) {
	at, _ := start(t, nil, link.Link{})
	for _, secure := range []bool{false, true} {
		p := at
		p.Token = "another"
		_, err := p.Export(t.Context(), "item", transfer.Raw, Way{Format: transfer.Packed, TLS: secure}, nil)
		if err == nil {
			t.Error("a stranger is served")
		}
		t.Log(err)
	}
	if err := at.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"GET / HTTP/1.1\r\n\r\n", "\x00\xff\xff\xff", "\x16\x03\x01\x00\x05hello", ""} {
		c, err := net.Dial("tcp", at.Address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(c, bytes.NewReader([]byte(text))); err != nil {
			t.Error(err)
		}
		_ = c.(*net.TCPConn).CloseWrite()
		if answer, _ := io.ReadAll(c); bytes.Contains(answer, []byte(token)) { // it may be a reset
			t.Errorf("%q", answer)
		}
		c.Close()
	}
	if err := (Place{Network: "tcp", Address: at.Address, Token: token}).Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestOverALinkOfItsOwn(t *testing.T) {
	source, _ := start(t, nil, link.Link{Path: link.Remote, Rate: 10e9})
	destination, _ := start(t, &source, link.Link{})
	if err := source.Make(t.Context(), "item", transfer.Raw, made); err != nil {
		t.Fatal(err)
	}
	for _, secure := range []bool{false, true} {
		if _, err := destination.Fetch(t.Context(), "item", transfer.Raw, "copy", transfer.Raw, Way{Format: transfer.Packed, TLS: secure, Holes: true}); err != nil {
			t.Error(err)
		}
		if err := destination.Remove(t.Context(), "copy"); err != nil {
			t.Error(err)
		}
	}
}
