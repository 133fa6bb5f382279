package campaign

import (
	"slices"

	"plimsoll/internal/result"
)

// Feed receives the records of running trials, in addition to the events, for code that shows or
// exports them. Its methods may be called by several goroutines at once, and must not block.
type Feed interface {
	// Begin announces a trial with the facts known so far: its variant, rung, repetition and
	// profile. Everything that follows, until the next Begin, belongs to this trial.
	Begin(result.Tile)
	// Record gets each record of a driver once.
	Record(result.Record)
	// Sampled gets what was sampled of machines and processes, as
	// platform.Observation.Seen does.
	Sampled([]result.Series)
}

// noFeed is the feed of a campaign without a reader.
type noFeed struct{}

func (noFeed) Begin(result.Tile)       {}
func (noFeed) Record(result.Record)    {}
func (noFeed) Sampled([]result.Series) {}

// feed returns the feed of the options.
func (c *Campaign) feed() Feed {
	if c.o.Feed == nil {
		return noFeed{}
	}
	return c.o.Feed
}

// seen gets samples for the feed; nil where there is none, so that nothing is copied in
// vain.
func (c *Campaign) seen() func([]result.Series) {
	if c.o.Feed == nil {
		return nil
	}
	return c.o.Feed.Sampled
}

// ready reports whether what users reach of the instance is there: its
// servers run and its volumes are made.
func (i *instance) ready() bool {
	return !slices.ContainsFunc(i.servers, func(s *server) bool { return !s.by.ready(s) })
}

// readyInstances is how many of the trial's are.
func (t *trial) readyInstances() (n int) {
	for _, i := range t.working() {
		if i.ready() {
			n++
		}
	}
	return n
}
