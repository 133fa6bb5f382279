package receipt

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func example() Receipt {
	const number = 1_795_324_862_123_456
	return Receipt{User: 17, Number: number, Writes: []Write{
		{Kind: Increment, Table: 1, ID: 501, From: number + 2100, To: number + 2100},
		{Kind: Text, Table: 12, ID: 1_234_567, From: number + 2300, To: number + 2300},
		{Kind: Delete, Table: 2, ID: 503, From: number + 2400, To: number + 2500},
		{Kind: Insert, Table: 2, ID: 503, K: -1, From: number + 2600, To: Never},
	}}
}

func TestRoundTrip(t *testing.T) {
	for _, r := range []Receipt{{}, {Doubtful: true, User: 1}, example()} {
		b := r.Append(nil)
		var back Receipt
		if err := back.Read(b); err != nil {
			t.Fatal(err)
		}
		if len(back.Writes) == 0 {
			back.Writes = nil
		}
		if diff := cmp.Diff(r, back); diff != "" {
			t.Errorf("a receipt changes (-written +read):\n%s", diff)
		}
		t.Logf("%d writes, %d bytes", len(r.Writes), len(b))
	}
}

func TestReadCutOff(t *testing.T) {
	r := example()
	whole := r.Append(nil)
	var back Receipt
	ends := 0
	for n := range whole {
		if back.Read(whole[:n]) == nil {
			ends++
		}
	}
	if ends > len(r.Writes) { // it may end after each write only
		t.Errorf("%d of %d cut receipts were read", ends, len(whole))
	}
	if back.Read([]byte{9, 1, 1}) == nil {
		t.Error("a receipt of another form was read")
	}
}

func FuzzRead(f *testing.F) {
	r := example()
	f.Add(r.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r Receipt
		_ = r.Read(b) // whatever it is
	})
}
