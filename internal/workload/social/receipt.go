package social

import (
	"encoding/binary"
	"fmt"

	"plimsoll/internal/workload"
)

// thing is what a page writes.
type thing byte

// Things that are written.
const (
	aPerson thing = iota
	anEvent
	anAttendance
	aComment
	things
)

// tableOf each thing.
var tableOf = [things]string{"people", "events", "attendance", "comments"}

// maxRef bounds the numbers under which things are written: JavaScript and PHP have it exactly.
const maxRef = 1<<53 - 1

// receipt is one thing that was acknowledged, or whose outcome an error left open.
type receipt struct {
	Of       thing
	Doubtful bool
	Ref      int64 // its number, drawn by the user
	Person   int64 // who wrote it; 0 of people
	Event    int64 // that it is about; 0 of people and events
	First    uint32
	Second   uint32 // CRC-32 of the picture and of the document, 0 for none
}

const receiptSize = 2 + 3*8 + 2*4

// Append writes the receipt to the end of b.
func (r receipt) Append(b []byte) []byte {
	doubt := byte(0)
	if r.Doubtful {
		doubt = 1
	}
	b = append(b, byte(r.Of), doubt)
	for _, n := range [...]int64{r.Ref, r.Person, r.Event} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, r.First), r.Second)
}

// parseReceipt reads what Append wrote.
func parseReceipt(b []byte) (r receipt, err error) {
	if len(b) != receiptSize || thing(b[0]) >= things || b[1] > 1 {
		return r, fmt.Errorf("%w: %x", workload.ErrReceipt, b)
	}
	at := func(n int) int64 { return int64(binary.BigEndian.Uint64(b[2+8*n:])) }
	files := b[2+3*8:]
	return receipt{
		Of: thing(b[0]), Doubtful: b[1] == 1, Ref: at(0), Person: at(1), Event: at(2),
		First: binary.BigEndian.Uint32(files), Second: binary.BigEndian.Uint32(files[4:]),
	}, nil
}

// String describes it for people.
func (r receipt) String() string {
	return fmt.Sprintf("number %d in %s, by person %d, of event %d, with files of checksums %08x and %08x", r.Ref, tableOf[r.Of], r.Person, r.Event, r.First, r.Second)
}
