package training

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"strconv"
)

// top is the directory of the samples, or the prefix of their keys; files have their numbers as
// names.
const top = "samples"

func nameOf(file int64) string { return strconv.FormatInt(file, 10) }

func keyOf(file int64) string { return top + "/" + nameOf(file) }

// data are the samples of a data set: all that is to be known of them follows from these.
type data struct {
	samples         int64
	mean, deviation int64 // of sizes, in bytes
	perFile         int64
	tar             bool // files are tar files
}

func (p *Parameters) data() data {
	f := p.figures()
	return data{int64(p.Samples), whole(f.size), int64(f.deviation), int64(f.perFile), p.Format == tarFormat}
}

// whole rounds a size to blocks.
func whole(size float64) int64 { return max(1, int64(math.Round(size/block))) * block }

// farthest is by how many deviations the size of a sample may be off the mean, so that there is
// none of nothing; on both sides alike, so that the mean is kept.
const farthest = 2

// sizeOf is the size of a sample in bytes: normally distributed, the same in every run.
func (d data) sizeOf(sample int64) int64 {
	off := rand.New(rand.NewPCG(uint64(sample), 1)).NormFloat64()
	return whole(float64(d.mean) + float64(d.deviation)*min(farthest, max(-farthest, off)))
}

// files is how many there are.
func (d data) files() int64 { return (d.samples + d.perFile - 1) / d.perFile }

// within returns the samples of a file, from first to before end.
func (d data) within(file int64) (first, end int64) {
	first = file * d.perFile
	return first, min(first+d.perFile, d.samples)
}

// fileAt returns the file at a place in the endless order of epochs. Each epoch has every
// file once, in an order of its own, which is the same in every run.
func (d data) fileAt(place int64) int64 {
	n := d.files()
	return int64(shuffled(uint64(place%n), uint64(n), uint64(place/n)))
}

// shuffled is a permutation of the numbers below count, another for each key: a Feistel network,
// which takes no memory, again and again until the number is one of those.
func shuffled(number, count, key uint64) uint64 {
	half := max(1, (bits.Len64(count-1)+1)/2)
	for {
		if number = feistel(number, half, key); number < count {
			return number
		}
	}
}

// rounds of the network; four are enough for large numbers, but there are small ones.
const rounds = 8

func feistel(number uint64, half int, key uint64) uint64 {
	mask := uint64(1)<<half - 1
	left, right := number>>half, number&mask
	for round := range uint64(rounds) {
		left, right = right, left^rand.NewPCG(right, key*rounds+round).Uint64()&mask
	}
	return left<<half | right
}
