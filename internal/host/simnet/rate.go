package simnet

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var rateText = regexp.MustCompile(`^([0-9.]+) ?([kmg])bit(?:/s)?$`)

// ParseRate reads "1gbit" or "100mbit" as bits per second.
func ParseRate(text string) (uint64, error) {
	m := rateText.FindStringSubmatch(strings.ToLower(strings.TrimSpace(text)))
	if m == nil {
		return 0, fmt.Errorf("%q is not a rate: write 100mbit, 1gbit or 10gbit", text)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("%q is not a rate: write 100mbit, 1gbit or 10gbit", text)
	}
	return uint64(n * map[string]float64{"k": 1e3, "m": 1e6, "g": 1e9}[m[2]]), nil
}
