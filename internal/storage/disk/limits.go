package disk

// RemoveLimits takes the simulated times off until Settle.
func (c *class) RemoveLimits() error {
	p, _, err := c.ready()
	if err != nil {
		return err
	}
	return p.unthrottled(func() error { return nil })
}
