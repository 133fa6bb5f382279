package campaign_test

import (
	"slices"
	"testing"

	"plimsoll/internal/campaign/campaigntest"
	"plimsoll/internal/study/plan"
)

// What gives up durability is judged by what servers answer, whoever started them.
func TestServersAreAskedForDurability(t *testing.T) {
	for name, p := range map[string]*plan.Plan{"started": stacked(), "existing": borrowing()} {
		t.Run(name, func(t *testing.T) {
			inTime(t, p, func(r *runs) {
				r.Sync = "off"
				trials := r.finishes()
				passed(r.t, trials...)
				for _, s := range trials[0].Servers {
					knows := s.Name == campaigntest.DB
					if given := slices.Equal(s.GivesUp, []string{"sync = off (everything)"}); given != knows || knows != slices.Equal(s.Durability["sync"], []string{"off"}) {
						t.Errorf("%s: %v, %v", s.Role, s.GivesUp, s.Durability)
					}
				}
			})
		})
	}
}
