package objects

import (
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/objectio"
)

// store is a bucket as one user, or the administrator, reaches it.
type store struct{ objectio.Store }

func reach(t workload.Target, n int) (store, error) {
	s, err := objectio.Reach(t, n)
	return store{s}, err
}

// administer is reach for requests that are not measured.
func administer(t workload.Target, n int) (store, error) {
	s, err := objectio.Administer(t, n)
	return store{s}, err
}

func ownerOf(t workload.Target, p *Parameters) fileio.Owner {
	return fileio.Owner{Workload: Name, Instance: t.Instance, Shape: p.shape(usersOf(t))}
}
