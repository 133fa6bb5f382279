package fileio_test

import (
	"testing"

	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload/fileio"
)

// The cost of stamping and checking a block, compared with moving it.
func BenchmarkFill(b *testing.B) {
	block, c := make([]byte, 1<<20), fileio.Content{Volume: 1, File: 1, Generation: 1}
	blockcheck.Random(block, 1)
	b.SetBytes(1 << 20)
	for b.Loop() {
		c.Fill(block, 4096)
	}
}

func BenchmarkCheck(b *testing.B) {
	block, c := make([]byte, 1<<20), fileio.Content{Volume: 1, File: 1, Generation: 1}
	blockcheck.Random(block, 1)
	c.Fill(block, 4096)
	b.SetBytes(1 << 20)
	for b.Loop() {
		if err := c.Check(block, 4096); err != nil {
			b.Fatal(err)
		}
	}
}
