package medium

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"plimsoll/internal/text/unit"
)

// Rate is bytes a second, written "180MB/s".
type Rate float64

// ParseRate reads a size followed by "/s".
func ParseRate(text string) (Rate, error) {
	size, ok := strings.CutSuffix(strings.TrimSpace(text), "/s")
	if !ok {
		return 0, fmt.Errorf("%q is not a rate: write a size per second, such as 180MB/s", text)
	}
	b, err := unit.ParseBytes(size)
	if err != nil {
		return 0, fmt.Errorf("%q is not a rate: write a size per second, such as 180MB/s", text)
	}
	return Rate(b), nil
}

// UnmarshalJSON takes bytes a second without a unit, too: recordings of earlier versions
// have them.
func (r *Rate) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("a rate is written as text, such as \"180MB/s\": %w", err)
	}
	var b unit.Bytes
	if size, ok := strings.CutSuffix(text, "/s"); ok && b.UnmarshalJSON([]byte(strconv.Quote(size))) == nil {
		*r = Rate(b)
		return nil
	}
	return r.UnmarshalText([]byte(text))
}

// String prints the rate as ParseRate reads it.
func (r Rate) String() string { return unit.Bytes(r).String() + "/s" }

// MarshalText writes the rate exactly.
func (r Rate) MarshalText() ([]byte, error) {
	size, err := unit.Bytes(r).MarshalText()
	return append(size, "/s"...), err
}

// UnmarshalText reads what ParseRate reads.
func (r *Rate) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRate(string(text))
	return err
}
