package disk

import (
	"plimsoll/internal/storage"
)

// Lifter is a class whose simulated times can be lifted from outside, for a
// storage cluster that prepares volumes on it.
type Lifter interface {
	// Lift lifts the times until Lower, or Settle, is called.
	Lift() error
	Lower() error
}

var (
	_ storage.Class = (*class)(nil)
	_ Lifter        = (*class)(nil)
)

// Lift implements Lifter.
func (c *class) Lift() error {
	p, _, err := c.ready()
	if err != nil {
		return err
	}
	return p.unthrottled(func() error { return nil })
}

// Lower implements Lifter.
func (c *class) Lower() error {
	p, _, err := c.ready()
	if err != nil {
		return err
	}
	_, err = p.throttle()
	return err
}
