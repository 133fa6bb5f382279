package session_test

import (
	"math"
	"testing"

	"plimsoll/internal/workload/dvdstore/session"
)

func TestReceiptsSurviveTheirEncoding(t *testing.T) {
	for _, want := range []session.Receipt{
		{},
		{ID: 1, Customer: 2, Lines: 3, Quantity: 4, Cents: 5},
		{ID: math.MaxInt64, Customer: math.MaxInt64, Lines: math.MaxInt32, Quantity: math.MaxInt32, Cents: math.MaxInt64},
		{Customer: 7, Lines: 1, Quantity: 1, Cents: 999, Doubtful: true},
	} {
		text := want.Append(nil)
		if got, err := session.ParseReceipt(text); err != nil || got != want {
			t.Errorf("%+v came back as %+v, %v", want, got, err)
		}
		for cut := range text {
			if got, err := session.ParseReceipt(text[:cut]); err == nil {
				t.Errorf("%d of %d bytes were read as %+v", cut, len(text), got)
			}
		}
		if _, err := session.ParseReceipt(append(text, 0)); err == nil {
			t.Error("a byte too many was read")
		}
	}
}

func FuzzParseReceipt(f *testing.F) {
	f.Add(session.Receipt{ID: 12345, Customer: 20001, Lines: 5, Quantity: 9, Cents: 10825}.Append(nil))
	f.Add([]byte{2})
	f.Add([]byte{1, 0x80})
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := session.ParseReceipt(text)
		if err != nil {
			return
		}
		if back, err := session.ParseReceipt(r.Append(nil)); err != nil || back != r {
			t.Errorf("%x was read as %+v, which comes back as %+v, %v", text, r, back, err)
		}
	})
}
