package disk

import (
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/medium"
)

// Lifter is a class whose simulated times can be lifted from outside, for a
// storage cluster that prepares volumes on it.
type Lifter interface {
	// Lift lifts the times until Lower has been called as often as Lift.
	Lift() error
	Lower() error
}

var (
	_ storage.Class = (*class)(nil)
	_ Lifter        = (*class)(nil)
)

// Lift implements Lifter.
func (c *class) Lift() error { return c.holdTimes(1, medium.Pause) }

// Lower implements Lifter.
func (c *class) Lower() error { return c.holdTimes(-1, medium.Resume) }

func (c *class) holdTimes(by int, command string) error {
	p, _, err := c.ready()
	if err != nil {
		return err
	}
	return p.hold(by, command)
}
