package say

import (
	"plimsoll/internal/analysis/model"
	"plimsoll/internal/analysis/setup"
)

// Settings are the settings of a run, with the variants that have each value in words.
func Settings(s *setup.Subject) []model.Setting {
	all := s.Settings()
	for _, one := range all {
		for i := range one.Values {
			one.Values[i].For = Join(one.Values[i].Which)
		}
	}
	return all
}
