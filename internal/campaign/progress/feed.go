package progress

import "plimsoll/internal/result"

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

// Feed is who reads the records and samples of the running trial.
func (w *Watch) Feed() Feed {
	if w.feed == nil {
		return noFeed{}
	}
	return w.feed
}

// Seen gets samples for the feed; nil where there is none, so that nothing is copied in
// vain.
func (w *Watch) Seen() func([]result.Series) {
	if w.feed == nil {
		return nil
	}
	return w.feed.Sampled
}
