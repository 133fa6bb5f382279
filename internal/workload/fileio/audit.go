package fileio

import (
	"encoding/binary"
	"fmt"

	"plimsoll/internal/describe"
)

// mostExamples bounds what a check says of its offenders.
const mostExamples = 10

// Examples are some of what a check found wrong.
type Examples []string

// Add keeps an example, if there are not enough.
func (e *Examples) Add(format string, args ...any) {
	if len(*e) < mostExamples {
		*e = append(*e, fmt.Sprintf(format, args...))
	}
}

// Check compares two numbers for an audit.
func Check(name string, expected, found int64, examples Examples) describe.Check {
	return describe.Check{Name: name, Passed: expected == found, Expected: expected, Found: found, Examples: examples}
}

// Numbers takes unsigned integers off a receipt (encoding/binary's varints).
type Numbers struct{ rest []byte }

// ReadNumbers begins with a receipt.
func ReadNumbers(receipt []byte) Numbers { return Numbers{receipt} }

// Next returns the next number, or 0 if none is left.
func (r *Numbers) Next() uint64 {
	n, length := binary.Uvarint(r.rest)
	if length <= 0 {
		r.rest = nil
		return 0
	}
	r.rest = r.rest[length:]
	return n
}

// Bad reports whether the receipt ended before the last Next, or was no receipt.
func (r *Numbers) Bad() bool { return r.rest == nil }

// AppendNumbers makes a receipt longer.
func AppendNumbers(receipt []byte, numbers ...uint64) []byte {
	for _, n := range numbers {
		receipt = binary.AppendUvarint(receipt, n)
	}
	return receipt
}
