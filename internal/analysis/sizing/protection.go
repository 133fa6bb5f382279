package sizing

import (
	"plimsoll/internal/describe/protection"
	"plimsoll/internal/text/words"
)

// sourceProtections are the schemes that the source recommends.
func sourceProtections() []protection.Scheme {
	return []protection.Scheme{
		{Data: 1, Redundant: 1, RAIDData: 10, RAIDParity: 2},
		{Data: 4, Redundant: 2, RAIDData: 1},
	}
}

// terabyte is decimal, as drives are sold and as the source counts.
const terabyte = 1e12

// terabytes writes a size in TB, smaller ones in the unit that suits.
func terabytes(bytes float64) string {
	if bytes < terabyte {
		return words.Bytes(bytes)
	}
	return words.Figures(bytes/terabyte) + " TB"
}
