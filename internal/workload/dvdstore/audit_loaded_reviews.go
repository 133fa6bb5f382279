package dvdstore

import (
	"bufio"
	"context"
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"io"
	"iter"

	"plimsoll/internal/workload/dvdstore/data"
)

// contents is a table whose loaded rows are compared by checksums, for which
// the server goes through it once.
type contents struct {
	table, id string // the column of the rows' numbers, 1 to rows
	rows      int64
	checksum  string           // of a row, in SQL: a positive integer
	loaded    iter.Seq[uint64] // the checksums of what was loaded, by number
	what, one string           // the rows together, and one of them
}

// loadedReviews compares every column of the loaded reviews and ratings with the values
// that Prepare wrote. Users add rows, but change none.
func (a *auditor) loadedReviews(ctx context.Context) error {
	for _, c := range []contents{{
		table: "{reviews}", id: "review_id", rows: a.size.Reviews, what: "loaded reviews", one: "review",
		checksum: a.engine.digest("concat_ws('\t', review_id, prod_id, review_date, stars, customerid, review_summary, review_text)"),
		loaded:   digests(a.generator.Rows(data.ReviewTable, 1, a.size.Reviews)),
	}, {
		table: "{reviews_helpfulness}", id: "review_helpfulness_id", rows: a.generator.Helpfulness(), what: "loaded ratings of reviews", one: "rating",
		checksum: fmt.Sprintf("(cast(customerid as %[1]s) * 16 + helpfulness) * (review_helpfulness_id %% %[2]d + 1) + cast(review_id as %[1]s) * (review_helpfulness_id %% %[3]d + 1)",
			a.engine.bigint(), ratingWeights, reviewWeights),
		loaded: a.ratingChecksums(),
	}} {
		if err := a.compareContents(ctx, c); err != nil {
			return fmt.Errorf("compare the %s: %w", c.what, err)
		}
	}
	return nil
}

// digests returns the first 32 bits of the MD5 digest of every line.
func digests(lines io.Reader) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for each := bufio.NewScanner(lines); each.Scan(); { // this reader cannot fail
			sum := md5.Sum(each.Bytes())
			if !yield(uint64(binary.BigEndian.Uint32(sum[:]))) {
				return
			}
		}
	}
}

// A rating's columns are weighted by its number, so that ratings exchanged do
// not make up for each other.
const (
	ratingWeights = 8191
	reviewWeights = 127
)

func (a *auditor) ratingChecksums() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for review := int64(1); review <= a.size.Reviews; review++ {
			for number, r := range a.generator.EachRating(review) {
				if !yield(uint64((r.Customer*16+r.Helpfulness)*(number%ratingWeights+1) + review*(number%reviewWeights+1))) {
					return
				}
			}
		}
	}
}

// blockRows is how many rows the server adds the checksums of.
const blockRows = 10_000

// compareContents compares sums of blocks, and the rows of those that differ.
func (a *auditor) compareContents(ctx context.Context, c contents) error {
	sums, err := a.blockSums(ctx, c)
	if err != nil {
		return err
	}
	changed := tallyAll(c.what+" are all there and unchanged", c.rows)
	block, first := make([]uint64, 0, blockRows), int64(1)
	check := func() error {
		if len(block) == 0 || sums[first] == summedUp(block) {
			return nil
		}
		return a.compareBlock(ctx, c, first, block, changed)
	}
	for checksum := range c.loaded {
		if block = append(block, checksum); len(block) == blockRows {
			if err := check(); err != nil {
				return err
			}
			block, first = block[:0], first+blockRows
		}
	}
	err = check()
	a.add(changed)
	return err
}

// blockSum is what the rows of a block add up to.
type blockSum struct{ rows, checksums int64 }

func summedUp(block []uint64) (s blockSum) {
	for _, checksum := range block {
		s.rows++
		s.checksums += int64(checksum)
	}
	return s
}

// blockSums returns the sums of the database's rows, by the first number of each block.
func (a *auditor) blockSums(ctx context.Context, c contents) (map[int64]blockSum, error) {
	sums := map[int64]blockSum{}
	err := a.each(ctx, fmt.Sprintf(`select %[1]s - (%[1]s - 1) %% %[2]d, count(*), sum(%[3]s)
		from %[4]s where %[1]s between 1 and %[5]d group by %[1]s - (%[1]s - 1) %% %[2]d`, c.id, blockRows, c.checksum, c.table, c.rows), func(row []int64) {
		sums[row[0]] = blockSum{row[1], row[2]}
	})
	return sums, err
}

// compareBlock compares the rows of a block one by one.
func (a *auditor) compareBlock(ctx context.Context, c contents, first int64, block []uint64, changed *tally) error {
	there, err := a.open(ctx, fmt.Sprintf(`select %[1]s, %[2]s from %[3]s where %[1]s between %[4]d and %[5]d order by 1`,
		c.id, c.checksum, c.table, first, first+int64(len(block))-1))
	if err != nil {
		return err
	}
	defer there.close()
	for i, checksum := range block {
		number := first + int64(i)
		switch row := there.take(number); {
		case row == nil:
			changed.offend("%s %d is missing", c.one, number)
		case row[1] != int64(checksum):
			changed.offend("%s %d has other contents", c.one, number)
		}
		if err := there.skip(number); err != nil {
			return err
		}
	}
	return nil
}
