package telemetry

import (
	"bytes"
	"math"
)

// number reads the unsigned decimal number at the start of text, after
// blanks, and gives what follows it. ok is false when there is none.
func number(text []byte) (v uint64, rest []byte, ok bool) {
	i := 0
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	from := i
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		v = v*10 + uint64(text[i]-'0')
		i++
	}
	return v, text[i:], i > from
}

// numbers reads as many numbers as into holds and gives how many there were.
func numbers(text []byte, into []uint64) int {
	for i := range into {
		v, rest, ok := number(text)
		if !ok {
			return i
		}
		into[i], text = v, rest
	}
	return len(into)
}

// line gives the first line of text and what follows it.
func line(text []byte) (first, rest []byte) {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, nil
}

// keyed finds the number after a key at the start of a line ("MemTotal:",
// "usage_usec "), NaN when there is none.
func keyed(text []byte, key string) float64 {
	for len(text) > 0 {
		var l []byte
		l, text = line(text)
		if len(l) > len(key) && string(l[:len(key)]) == key {
			if v, _, ok := number(l[len(key):]); ok {
				return float64(v)
			}
			return math.NaN()
		}
	}
	return math.NaN()
}

// single reads a file that holds one number, NaN when it cannot be read.
func single(f *file) float64 {
	if v, _, ok := number(f.read()); ok {
		return float64(v)
	}
	return math.NaN()
}
