// Package eventtest checks declarations of events by texts, as a study writes them.
package eventtest

import "plimsoll/internal/describe/event"

// Check says why a text is no event that can be done after earlier ones. Earlier texts that are
// not of the declaration are left out.
func Check(d event.Declaration, text string, earlier []string) error {
	e, err := d.Parse(text)
	if err != nil {
		return err
	}
	var before []event.Event
	for _, one := range earlier {
		if b, err := d.Parse(one); err == nil {
			before = append(before, b)
		}
	}
	return d.Check(e, before)
}
