package campaigntest

import (
	"plimsoll/internal/app"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/study"
)

// SharingDB is a database whose servers may share one volume.
const SharingDB = "fakesharingdb"

// WithSharing adds it to the world.
func (w *World) WithSharing() {
	w.with = append(w.with, func(p *facts.Parts) {
		p.Engines[SharingDB] = sharingDB{database{engine{w, SharingDB, databaseKind}}}
	})
}

// Sharing is a variant of several servers to an instance.
func Sharing(name string, servers int) study.Variant {
	v := Variant(name, Parameters{})
	v.Stack[dbRole] = study.Engine{Name: SharingDB, Count: servers}
	return v
}

type sharingDB struct{ database }

func (e sharingDB) Capabilities() app.Capabilities {
	can := e.database.Capabilities()
	can.SharesVolumes = true
	return can
}
