package session

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Receipt is what a session keeps of an order that it saw acknowledged, or
// whose outcome an error left open.
type Receipt struct {
	ID       int64 // the order's number; 0 when doubtful and not known
	Customer int64 // who ordered
	Lines    int32
	Quantity int32
	Cents    int64 // total amount in hundredths
	Doubtful bool
}

// Flags with which a receipt begins.
const (
	certain  = 0
	doubtful = 1
)

// Append writes the receipt to the end of b: a byte of flags and five
// variable-length integers (encoding/binary), about 12 bytes.
func (r Receipt) Append(b []byte) []byte {
	flags := byte(certain)
	if r.Doubtful {
		flags = doubtful
	}
	b = append(b, flags)
	for _, n := range [...]int64{r.ID, r.Customer, int64(r.Lines), int64(r.Quantity), r.Cents} {
		b = binary.AppendVarint(b, n)
	}
	return b
}

// ParseReceipt reads what Append wrote.
func ParseReceipt(b []byte) (Receipt, error) {
	if len(b) == 0 || b[0] > doubtful {
		return Receipt{}, fmt.Errorf("a receipt begins with % x, want %d or %d", b[:min(1, len(b))], certain, doubtful)
	}
	r := Receipt{Doubtful: b[0] == doubtful}
	var n [5]int64
	rest := b[1:]
	for i := range n {
		value, size := binary.Varint(rest)
		if size <= 0 {
			return Receipt{}, errors.New("a receipt is cut short")
		}
		n[i], rest = value, rest[size:]
	}
	switch {
	case len(rest) > 0:
		return Receipt{}, fmt.Errorf("%d bytes follow a receipt", len(rest))
	case n[2] < 0 || n[2] > math.MaxInt32 || n[3] < 0 || n[3] > math.MaxInt32:
		return Receipt{}, fmt.Errorf("a receipt has %d lines and a quantity of %d, which is not a valid order", n[2], n[3])
	}
	r.ID, r.Customer, r.Lines, r.Quantity, r.Cents = n[0], n[1], int32(n[2]), int32(n[3]), n[4]
	return r, nil
}
