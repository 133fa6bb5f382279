package load

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func readAll(path string) (all [][]byte, err error) {
	err = ReadReceipts(path)(func(r []byte) bool {
		all = append(all, bytes.Clone(r))
		return true
	})
	return all, err
}

func TestReceiptsComeBackAsTheyWent(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		want := rapid.SliceOf(rapid.SliceOf(rapid.Byte())).Draw(rt, "receipts")
		f, err := createReceipts(dir, 7)
		if err != nil {
			rt.Fatal(err)
		}
		for _, r := range want {
			f.add(r)
		}
		if err := f.close(); err != nil {
			rt.Fatal(err)
		}
		got, err := readAll(ReceiptPath(dir, 7))
		if err != nil || !slices.EqualFunc(got, want, bytes.Equal) {
			rt.Fatalf("got %v, %v, want %v", got, err, want)
		}
	})
}

func TestReceiptsOfAKilledDriver(t *testing.T) {
	dir := t.TempDir()
	f, err := createReceipts(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		f.add([]byte("something to be asked for"))
	}
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(ReceiptPath(dir, 0))
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(dir, "cut")
	if err := os.WriteFile(cut, whole[:len(whole)-2], 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := readAll(cut); !errors.Is(err, io.ErrUnexpectedEOF) || len(got) != 2 {
		t.Errorf("got %v, %v, want two and an unexpected end", got, err)
	}
	if err := os.WriteFile(cut, []byte("something else altogether, which is long enough"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readAll(cut); err == nil {
		t.Error("read a file that is none of ours")
	}
	first := 0
	if err := ReadReceipts(ReceiptPath(dir, 0))(func([]byte) bool { first++; return false }); err != nil || first != 1 {
		t.Errorf("a reader that stops got %d, %v", first, err)
	}
}
