package campaigntest

import (
	"context"
	"fmt"
	"maps"

	"plimsoll/internal/app"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// LoggedName is a workload whose database keeps its log on a directory of its own, and
// LoggingDB that database.
const (
	LoggedName = "fakelogged"
	LoggingDB  = "fakeloggingdb"
	logMount   = "log"
)

// WithLogs adds them to the world.
func (w *World) WithLogs() {
	w.with = append(w.with, func(p *facts.Parts) {
		p.Workloads[LoggedName] = w.logged()
		p.Engines[LoggingDB] = w.loggingDB()
	})
}

func (w *World) logged() *logged { return &logged{&work{w, LoggedName}} }

func (w *World) loggingDB() loggingDB { return loggingDB{database{engine{w, LoggingDB, databaseKind}}} }

// Logging has the databases of a variant keep their logs on a storage of its own.
func Logging(v study.Variant, on study.Storage) study.Variant {
	v.Workload.Name = LoggedName
	v.Stack[dbRole] = study.Engine{Name: LoggingDB, Storage: map[string]string{logMount: "logs"}}
	v.Storages = withStorage(v.Storages, "logs", on)
	return v
}

// withStorage is the storages of a variant and one more.
func withStorage(all map[string]study.Storage, name string, s study.Storage) map[string]study.Storage {
	all = maps.Clone(all)
	all[name] = s
	return all
}

type logged struct{ *work }

func (*logged) Roles(workload.Parameters) []workload.Role {
	mounts := append(workload.Data(), describe.Mount{Name: logMount, Kinds: []string{endpoint.Directory}})
	return []workload.Role{{Name: dbRole, Kinds: []string{databaseKind}, Mounts: mounts, Needed: workload.Always}}
}

// LogBytes is what a loaded log takes.
const LogBytes = 20

func (l *logged) Dataset(p workload.Parameters, _ workload.Kinds, seed uint64) workload.Dataset {
	d := ten(l.Roles(p), p, seed)
	db := d.Roles[dbRole]
	db.Mounts = map[string]workload.Space{logMount: {Bytes: LogBytes}}
	d.Roles[dbRole] = db
	return d
}

// loggingDB marks its volumes as belonging together when it first starts, and does not
// become ready with a log of another database.
type loggingDB struct{ database }

func (e loggingDB) Server(in app.Installation, c app.Config) app.Server {
	s := e.database.Server(in, c)
	ready := s.Ready
	s.Ready = func(ctx context.Context, at endpoint.Endpoint) error {
		var sets []string
		for _, m := range c.Mounts {
			err := e.w.volume(endpoint.PathOf(m), func(v *volume) error {
				if v.set == "" {
					v.set = c.Name
				}
				sets = append(sets, v.set)
				return nil
			})
			if err != nil {
				return err
			}
		}
		if len(sets) != 2 || sets[0] != sets[1] {
			return fmt.Errorf("%s has volumes of the databases %v", c.Name, sets)
		}
		return ready(ctx, at)
	}
	return s
}
