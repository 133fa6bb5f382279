package imaged

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/app/builtin/transfer"
	"plimsoll/internal/host/simnet/link"
	"plimsoll/test/quick"
)

// downloadStages are those that a download has.
func downloadStages(way Way) (all []string) {
	step := func(name string, when bool) {
		if when {
			all = append(all, name)
		}
	}
	step("read", true)
	step("encrypt", way.TLS)
	step("send", true)
	step("receive", true)
	step("decrypt", way.TLS)
	step("checksum", way.Checksum != transfer.NoChecksum)
	step("decompress", way.Format != transfer.Packed)
	step("write", true)
	step("flush", true)
	return all
}

func TestDownload(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	source, _ := start(t, nil, link.Link{})
	destination, _ := start(t, &source, link.Link{})
	for _, format := range []string{transfer.Packed, transfer.Gzip, transfer.Zstd} {
		if err := source.Make(t.Context(), format, format, made); err != nil {
			t.Fatal(err)
		}
	}
	want, err := source.Sum(t.Context(), transfer.Packed, transfer.Packed)
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []Way{
		{Format: transfer.Packed, Checksum: transfer.NoChecksum}, {Format: transfer.Gzip, Checksum: transfer.SHA256, TLS: true},
		{Format: transfer.Zstd, Checksum: transfer.MD5}, {Format: transfer.Packed, Checksum: transfer.SHA256, TLS: true},
	} {
		published, err := source.Digest(t.Context(), way.Format, way.Checksum)
		if err != nil {
			t.Fatal(err)
		}
		a, err := destination.Pull(t.Context(), way.Format, published, "copy", transfer.Raw, way)
		if err != nil {
			t.Errorf("%+v: %v", way, err)
			continue
		}
		var names []string
		for _, s := range a.Stages {
			names = append(names, s.Name)
		}
		if expected := downloadStages(way); !slices.Equal(names, expected) || a.Moved == 0 {
			t.Errorf("%+v: %d bytes, stages %v, want %v", way, a.Moved, names, expected)
		}
		got, err := destination.Sum(t.Context(), "copy", transfer.Raw)
		if err != nil || got.Digest != want.Digest || got.Holes != want.Holes {
			t.Errorf("%+v: %+v, want %+v: %v", way, got, want, err)
		}
		if err := destination.Remove(t.Context(), "copy"); err != nil {
			t.Error(err)
		}
	}
}

// A download that fails reports the reason and leaves nothing.
func TestDownloadsThatFail(t *testing.T) {
	source, _ := start(t, nil, link.Link{})
	if err := source.Make(t.Context(), "item", transfer.Packed, made); err != nil {
		t.Fatal(err)
	}
	stranger, cut := source, source
	stranger.Token = "another"
	cut.Address = relay(t, source.Address, 1_000_000, func(net.Conn, net.Conn) error { return io.EOF })
	for name, c := range map[string]struct {
		from            Place
		item, published string
		class           string
	}{
		"no such item":          {source, "other", "", NoSuchItem},
		"another digest":        {source, "item", strings.Repeat("0", 64), Mismatch},
		"a stranger":            {stranger, "item", "", refused},
		"the connection is cut": {cut, "item", "", "connection-lost"},
	} {
		for _, secure := range []bool{false, true} {
			if secure && name == "a stranger" {
				continue // who has another token does not know the server's key
			}
			destination, _ := start(t, &c.from, link.Link{})
			_, err := destination.Pull(t.Context(), c.item, c.published, "copy", transfer.Raw, Way{Format: transfer.Packed, Checksum: transfer.SHA256, TLS: secure})
			if class := classOf(err); err == nil || class != c.class {
				t.Errorf("%s, TLS %t: class %q, want %q: %v", name, secure, class, c.class, err)
			}
			if left, err := destination.List(t.Context()); err != nil || len(left) > 0 {
				t.Errorf("%s: %v is left, %v", name, left, err)
			}
		}
	}
}

// The service is a web server to any client, and downloads from any web server.
func TestOtherEndsOfDownloads(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	source, dir := start(t, nil, link.Link{})
	if err := source.Make(t.Context(), "item", transfer.Gzip, made); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(dir, "item"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+source.Address+"/item", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", bearer+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if got, err := io.ReadAll(answer.Body); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: %d bytes, want %d: %v", answer.Status, len(got), len(want), err)
	}

	other := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer other.Close()
	at := Place{Network: "tcp", Address: other.Listener.Addr().String()}
	destination, _ := start(t, &at, link.Link{})
	sum := sha256.Sum256(want)
	a, err := destination.Pull(t.Context(), "item", hex.EncodeToString(sum[:]), "copy", transfer.Raw, Way{Format: transfer.Gzip, Checksum: transfer.SHA256})
	if err != nil || len(a.Stages) != 5 || a.Stages[0].Name != transfer.Receive {
		t.Errorf("%+v, %v", a, err)
	}
}
