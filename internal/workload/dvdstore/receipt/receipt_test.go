package receipt_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"testing"

	"plimsoll/internal/workload/dvdstore/receipt"
)

func TestReceiptsSurviveTheirEncoding(t *testing.T) {
	for _, want := range []receipt.Receipt{
		receipt.Order{},
		receipt.Order{ID: 1, Customer: 2, Lines: 3, Quantity: 4, Cents: 5},
		receipt.Order{ID: math.MaxInt64, Customer: math.MaxInt64, Lines: math.MaxInt32, Quantity: math.MaxInt32, Cents: math.MaxInt64},
		receipt.Order{Customer: 7, Lines: 1, Quantity: 1, Cents: 999, Doubtful: true},
		receipt.Member{Customer: 20_000, Level: 3},
		receipt.Member{Customer: 1, Level: 1, Doubtful: true},
		receipt.Review{ID: 200_001, Customer: 3, Product: 10_000, Stars: 5, Content: math.MaxUint32},
		receipt.Review{Customer: 3, Product: 1, Stars: 1, Doubtful: true},
		receipt.Helpfulness{ID: 4_000_001, Customer: 5, Review: 200_001, Helpfulness: 10},
		receipt.Helpfulness{Customer: 5, Review: 1, Helpfulness: 1, Doubtful: true},
	} {
		text := want.Append(nil)
		if got, err := receipt.Parse(text); err != nil || got != want {
			t.Errorf("%+v came back as %+v, %v", want, got, err)
		}
		for cut := range text {
			if got, err := receipt.Parse(text[:cut]); err == nil {
				t.Errorf("%d of %d bytes were read as %+v", cut, len(text), got)
			}
		}
		if _, err := receipt.Parse(append(text, 0)); err == nil {
			t.Error("a byte too many was read")
		}
	}
}

// TestOldReceipts: orders read as when there were only orders.
func TestOldReceipts(t *testing.T) {
	for text, want := range map[string]receipt.Order{
		"00f2c001c2b8020a1292a901":      {ID: 12345, Customer: 20001, Lines: 5, Quantity: 9, Cents: 10825},
		"0100" + "0e" + "0202" + "ce0f": {Customer: 7, Lines: 1, Quantity: 1, Cents: 999, Doubtful: true},
	} {
		b, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := receipt.Parse(b); err != nil || got != want {
			t.Errorf("%s is read as %+v, %v, want %+v", text, got, err, want)
		}
		if again := want.Append(nil); !bytes.Equal(again, b) {
			t.Errorf("%+v is written as %x, want %s", want, again, text)
		}
	}
}

func TestContentTellsSummaryFromText(t *testing.T) {
	seen := map[uint32]bool{}
	for _, c := range [][2]string{{"a", "b"}, {"ab", ""}, {"", "ab"}, {"a", "c"}, {"b", "b"}} {
		seen[receipt.Content([]byte(c[0]), []byte(c[1]))] = true
	}
	if len(seen) != 5 {
		t.Errorf("five reviews have %d checksums", len(seen))
	}
}

func FuzzParse(f *testing.F) {
	f.Add(receipt.Order{ID: 12345, Customer: 20001, Lines: 5, Quantity: 9, Cents: 10825}.Append(nil))
	f.Add(receipt.Review{ID: 200_001, Customer: 3, Product: 10_000, Stars: 5, Content: 1 << 31}.Append(nil))
	f.Add([]byte{2})
	f.Add([]byte{1, 0x80})
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := receipt.Parse(text)
		if err != nil {
			return
		}
		if back, err := receipt.Parse(r.Append(nil)); err != nil || back != r {
			t.Errorf("%x was read as %+v, which comes back as %+v, %v", text, r, back, err)
		}
	})
}
