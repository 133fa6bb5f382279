package dvdstore

import (
	"bytes"
	"sync"

	"plimsoll/internal/workload/dvdstore/data"
)

// reportEvery is the least progress that is worth telling.
const reportEvery = 0.001

// progress adds up what goes on at the same time and reports the sum, never
// less than before and one call at a time.
type progress struct {
	mu       sync.Mutex
	report   func(float64) // may be nil
	done     float64
	reported float64
}

func (p *progress) add(share float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += share
	if p.report != nil && p.done-p.reported >= reportEvery && p.done < 1 {
		p.reported = p.done
		p.report(p.done)
	}
}

func (p *progress) finish() {
	if p.report != nil {
		p.report(1)
	}
}

// counter passes rows on, counts them and tells how many keys they came from.
type counter struct {
	rows    *data.Rows
	advance func(keys int64)
	count   int64
}

// Read implements io.Reader.
func (c *counter) Read(p []byte) (int, error) {
	before := c.rows.Left()
	n, err := c.rows.Read(p)
	c.count += int64(bytes.Count(p[:n], []byte{'\n'}))
	if made := before - c.rows.Left(); made > 0 {
		c.advance(made)
	}
	return n, err
}
