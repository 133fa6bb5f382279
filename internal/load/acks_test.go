package load

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/internal/workload"
)

func readAll(path string) (all []workload.Ack, err error) {
	err = ReadAcks(path)(func(k workload.Ack) bool {
		all = append(all, k)
		return true
	})
	return all, err
}

func TestAcksComeBackAsTheyWent(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		want := rapid.SliceOf(rapid.Custom(func(t *rapid.T) workload.Ack {
			return workload.Ack{
				ID: rapid.Int64().Draw(t, "id"), Customer: rapid.Int64().Draw(t, "customer"),
				Lines: rapid.Int32().Draw(t, "lines"), Quantity: rapid.Int32().Draw(t, "quantity"),
				Cents: rapid.Int64().Draw(t, "cents"), Doubtful: rapid.Bool().Draw(t, "doubtful"),
			}
		})).Draw(rt, "acks")
		a, err := createAcks(dir, 7)
		if err != nil {
			rt.Fatal(err)
		}
		for _, k := range want {
			a.add(k)
		}
		if err := a.close(); err != nil {
			rt.Fatal(err)
		}
		got, err := readAll(AckPath(dir, 7))
		if err != nil || !slices.Equal(got, want) {
			rt.Fatalf("got %v, %v, want %v", got, err, want)
		}
	})
}

func TestAcksOfAKilledDriver(t *testing.T) {
	dir := t.TempDir()
	a, err := createAcks(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	for id := range int64(3) {
		a.add(workload.Ack{ID: 1000 + id, Customer: 5000, Lines: 3, Quantity: 4, Cents: 12345})
	}
	if err := a.close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(AckPath(dir, 0))
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
	if err := ReadAcks(AckPath(dir, 0))(func(workload.Ack) bool { first++; return false }); err != nil || first != 1 {
		t.Errorf("a reader that stops got %d, %v", first, err)
	}
}
