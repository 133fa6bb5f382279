package checkpoint

import (
	"context"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/parallelio"
)

// Prepare saves the checkpoint that each job begins with, number 0.
func (Workload) Prepare(ctx context.Context, t workload.Target, p workload.Parameters, seed uint64, progress func(float64)) error {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return err
	}
	return parallelio.WithTeam(own.ranks(), int(own.WriteSize), seed, func(team *parallelio.Team) error {
		return fileio.PrepareUsers(ctx, t, own.owner(t.Instance), top, own.space(), progress, func(at fileio.Home, user int, _ func(float64)) error {
			s := store{Home: at, p: own, user: user, team: team}
			_, err := s.write(ctx, 0)
			if err == nil {
				err = s.prepareMark(0)
			}
			if err == nil {
				err = s.commit(0)
			}
			return err
		})
	})
}
