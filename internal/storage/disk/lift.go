package disk

import (
	"plimsoll/internal/storage"
)

var (
	_ storage.Class  = (*class)(nil)
	_ storage.Lifter = (*class)(nil)
)

// Lift lifts the simulated times until Settle.
func (c *class) Lift() error {
	p, _, err := c.ready()
	if err != nil {
		return err
	}
	return p.unthrottled(func() error { return nil })
}
