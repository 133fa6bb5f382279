package data

import (
	"io"
	"math/rand/v2"
	"strconv"
)

// Generator makes the rows that are loaded. Every row has its own stream of
// random numbers, so that any row can be made by itself. One goroutine uses it
// at a time.
type Generator struct {
	seed   uint64
	keys   Distribution // of column k
	random *stream
}

// NewGenerator makes rows whose k is drawn from the distribution, as sysbench
// does.
func NewGenerator(seed uint64, keys Distribution) *Generator {
	return &Generator{seed: mix(seed), keys: keys, random: newStream()}
}

// row starts the stream of one row of table `table` (1, 2, ...).
func (g *Generator) row(table int, id int64) *rand.Rand {
	g.random.source.Seed(g.seed^mix(uint64(table)), uint64(id))
	return g.random.Rand
}

// AppendRow returns the loaded k of a row and appends its c and pad, with sep
// between them.
func (g *Generator) AppendRow(b []byte, table int, id int64, sep byte) (k int64, texts []byte) {
	r := g.row(table, id)
	k = g.keys.Draw(r)
	return k, appendTexts(b, r, sep)
}

func appendTexts(b []byte, r *rand.Rand, sep byte) []byte {
	b = append(appendGroups(b, r, cGroups), sep)
	return appendGroups(b, r, padGroups)
}

// Rows reads the rows 1 to n of a table in the text form of COPY and LOAD DATA:
// id, k, c and pad with tabs between them, one row a line.
type Rows struct {
	generator *Generator
	table     int
	next, n   int64
	line      []byte // the unread rest of the current row
	room      []byte
}

// Rows returns a reader of a table's rows.
func (g *Generator) Rows(table int, n int64) *Rows {
	return &Rows{generator: g, table: table, next: 1, n: n}
}

// Done is how many rows were begun.
func (r *Rows) Done() int64 { return r.next - 1 }

// Read implements io.Reader.
func (r *Rows) Read(p []byte) (int, error) {
	read := 0
	for read < len(p) {
		if len(r.line) == 0 {
			if r.next > r.n {
				break
			}
			r.makeLine()
		}
		n := copy(p[read:], r.line)
		r.line = r.line[n:]
		read += n
	}
	if read == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return read, nil
}

func (r *Rows) makeLine() {
	random := r.generator.row(r.table, r.next)
	b := strconv.AppendInt(r.room[:0], r.next, 10)
	b = append(b, '\t')
	b = strconv.AppendInt(b, r.generator.keys.Draw(random), 10)
	b = append(b, '\t')
	b = append(appendTexts(b, random, '\t'), '\n')
	r.room, r.line = b, b
	r.next++
}
