package social

import (
	"math/rand/v2"
	"strconv"
)

// Names of people: loaded ones, and ones who register.
const (
	loadedPrefix = "person"
	newPrefix    = "new"
	password     = "password"
)

// tags is how many different ones there are.
const tags = 100

// tagOf draws a tag.
func tagOf(random *rand.Rand) string { return "tag" + strconv.Itoa(random.IntN(tags)) }

// fileContent appends bytes that follow from a number and cannot be compressed.
func fileContent(b []byte, number, size int64) []byte {
	random := rand.NewPCG(uint64(number), 0x50c1a1)
	for end := int64(len(b)) + size; int64(len(b)) < end; {
		v := random.Uint64()
		for range min(8, end-int64(len(b))) {
			b = append(b, byte(v))
			v >>= 8
		}
	}
	return b
}
