package words

import (
	"math"
	"strconv"
)

type byteUnit struct {
	name  string
	bytes float64
}

var (
	decimalUnits = []byteUnit{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}}
	binaryUnits  = []byteUnit{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}
)

// Bytes writes a size in decimal units, as media and rates are counted:
// "1.5 GB".
func Bytes(v float64) string {
	for _, u := range decimalUnits {
		if math.Abs(v) >= u.bytes {
			return Figures(v/u.bytes) + " " + u.name
		}
	}
	return Figures(v) + " B"
}

// Binary writes a size in binary units with three significant digits, as memory
// and space are counted: "1.5 GiB".
func Binary(bytes int64) string {
	for _, u := range binaryUnits {
		if v := float64(bytes) / u.bytes; math.Abs(v) >= 1000.0/1024 {
			return threeDigits(v) + " " + u.name
		}
	}
	return strconv.FormatInt(bytes, 10) + " B"
}

// threeDigits prints without an exponent; thousands keep all their digits.
func threeDigits(v float64) string {
	if math.Abs(v) >= 999.5 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
