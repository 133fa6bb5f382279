package tpcds

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"strconv"
	"strings"
)

// digest is what an answer is compared by: the number of its rows, and a sum of their
// hashes that does not depend on their order. Floating-point numbers count with 9 digits,
// since their sums depend on the order in which threads add.
func digest(a answer) string {
	var sum uint64
	for _, row := range a.rows {
		h := fnv.New64a()
		for i, value := range row {
			text := "n"
			if value != nil {
				text = "v" + canonical(*value, a.types[i])
			}
			var length [8]byte
			binary.LittleEndian.PutUint64(length[:], uint64(len(text)))
			_, _ = h.Write(length[:]) // a hash takes everything
			_, _ = h.Write([]byte(text))
		}
		sum += h.Sum64()
	}
	return fmt.Sprintf("%d rows, %016x", len(a.rows), sum)
}

// canonical is one text for all floating-point numbers that are nearly the same, and for
// texts of a fixed length, which some engines fill up with spaces.
func canonical(text, kind string) string {
	kind = strings.ToUpper(kind)
	switch {
	case strings.HasPrefix(kind, "CHAR"):
		return strings.TrimRight(text, " ")
	case kind != "DOUBLE" && kind != "FLOAT" && kind != "REAL":
		return text
	}
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return text
	case math.Abs(f) < 1e-9: // rounding errors of sums that are zero
		return "0"
	}
	return strconv.FormatFloat(f, 'g', 9, 64)
}
