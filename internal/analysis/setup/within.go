package setup

import (
	"slices"

	"plimsoll/internal/analysis/model"
	"plimsoll/internal/result"
)

// within says whose streams stayed within one machine, nil where they did not or it is not
// known: in every trial what was counted is bytes that went to servers which keep nothing,
// and these and the drivers were on the same one machine. An existing server may be anywhere.
func within(trials []*result.Trial) *model.LocalTraffic {
	if len(trials) == 0 || slices.ContainsFunc(trials, func(t *result.Trial) bool { return !staysWithin(t) }) {
		return nil
	}
	return &model.LocalTraffic{Role: trials[0].Servers[0].Role, User: trials[0].Profile.User}
}

func staysWithin(t *result.Trial) bool {
	elsewhere := func(s result.Server) bool { return !s.Stateless || s.Source == "existing" }
	return t.Profile.Unit.Bytes && len(t.Servers) > 0 && !slices.ContainsFunc(t.Servers, elsewhere) &&
		len(t.Machines) == 1 && t.Machines[0].Is(result.ApplicationRole) && t.Machines[0].Is(result.DriverRole)
}
