package campaigntest

import (
	"context"
	"errors"
	"path/filepath"

	"plimsoll/internal/app"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// Names of what buckets add to the world: a storage class, a workload on buckets alone,
// one whose database archives to a bucket, and that database.
const (
	BucketClassName = "fakebuckets"
	ObjectsName     = "fakeobjects"
	ArchiveName     = "fakearchive"
	ArchiveDB       = "fakearchivedb"
)

// bucketKind is the kind of the endpoints, and bucket is their payload.
const bucketKind = "fake:bucket"

type bucket struct {
	URLs []string `json:"urls"`
	Name string   `json:"name"` // path of the records in the world
}

// WithBuckets adds them to the world.
func (w *World) WithBuckets() {
	w.with = append(w.with, func(p *facts.Parts) {
		p.Kinds[BucketClassName] = bucketClassKind{classKind{w}}
		p.Workloads[ObjectsName] = w.objects()
		p.Workloads[ArchiveName] = w.archive()
		p.Engines[ArchiveDB] = w.archiveDB()
	})
}

// OnBuckets is a variant of users who write to buckets.
func OnBuckets(name string) study.Variant {
	v := Variant(name, Parameters{})
	v.StorageName, v.Storages, v.Stack = "store", map[string]study.Storage{"store": {Class: BucketClassName}}, nil
	v.Workload.Name = ObjectsName
	return v
}

// Archiving is a variant whose database has its data on one class and an archive on
// buckets.
func Archiving(name string) study.Variant {
	v := Variant(name, Parameters{})
	v.Workload.Name = ArchiveName
	v.Stack[dbRole] = study.Engine{Name: ArchiveDB, Storage: map[string]string{archiveMount: "store"}}
	v.Storages = withStorage(v.Storages, "store", study.Storage{Class: BucketClassName})
	return v
}

type bucketClassKind struct{ classKind }

func (bucketClassKind) Name() string             { return BucketClassName }
func (bucketClassKind) VolumeKinds(any) []string { return []string{bucketKind} }

func (k bucketClassKind) New(name string, parameters any, env storage.Env) (storage.Class, error) {
	c, err := k.classKind.New(name, parameters, env)
	if err != nil {
		return nil, err
	}
	return &bucketClass{c.(*class)}, nil
}

// bucketClass hands out buckets, which have no path.
type bucketClass struct{ *class }

func (c *bucketClass) Capabilities() storage.Capabilities {
	can := c.class.Capabilities()
	can.CheckCopies = c.CheckCopies
	return can
}

func (c *bucketClass) Provision(ctx context.Context, claim storage.Claim) (storage.Volume, error) {
	if err := claim.Of(bucketKind); err != nil {
		return storage.Volume{}, err
	}
	v, err := c.class.Provision(ctx, claim)
	v.Reached = endpoint.Endpoint{
		Kind: bucketKind, Network: "tcp", Address: "store:9000", User: "key", Password: "secret",
		Payload: endpoint.With(bucket{[]string{"http://store:9000"}, v.Path}),
	}
	v.Path = ""
	return v, err
}

func (c *bucketClass) Delete(ctx context.Context, v storage.Volume) error {
	v.Path = filepath.Join(c.volumes(), v.Name)
	return c.class.Delete(ctx, v)
}

func (c *bucketClass) CheckCopies(context.Context, storage.Volume) (storage.Copies, error) {
	return storage.Copies{}, nil
}

// objects is the workload on buckets alone.
type objects struct{ *work }

func (w *World) objects() *objects { return &objects{&work{w, ObjectsName}} }

func (o *objects) Capabilities() workload.Capabilities { return workload.Capabilities{Audit: o.Audit} }

func (*objects) Roles(workload.Parameters) []workload.Role {
	return []workload.Role{{Name: "bucket", Kinds: []string{bucketKind}, Needed: workload.Always}}
}

func (o *objects) Dataset(p workload.Parameters, _ workload.Kinds, seed uint64) workload.Dataset {
	return ten(o.Roles(p), p, seed)
}

// inWorld has every bucket of a target be where the world has its records.
func inWorld(t workload.Target) workload.Target {
	all := make([]endpoint.Endpoint, len(t.Endpoints))
	for n, e := range t.Endpoints {
		if b, err := endpoint.As[bucket](e); err == nil {
			e = endpoint.OfDirectory(e.Role, b.Name)
		}
		all[n] = e
	}
	t.Endpoints = all
	return t
}

func (o *objects) Prepare(ctx context.Context, t workload.Target, p workload.Parameters, seed uint64, progress func(float64)) error {
	return o.work.Prepare(ctx, inWorld(t), p, seed, progress)
}

func (o *objects) Open(ctx context.Context, t workload.Target, p workload.Parameters, user int, seed uint64) (workload.Session, error) {
	return o.work.Open(ctx, inWorld(t), p, user, seed)
}

func (o *objects) Audit(ctx context.Context, t workload.Target, p workload.Parameters, seed uint64, receipts workload.Receipts) (describe.Audit, error) {
	return o.work.Audit(ctx, inWorld(t), p, seed, receipts)
}

// archive is the workload whose database has two mounts.
type archive struct{ *work }

// archiveMount is the second one.
const archiveMount = "archive"

func (w *World) archive() *archive { return &archive{&work{w, ArchiveName}} }

func (*archive) Roles(workload.Parameters) []workload.Role {
	mounts := append(workload.Data(), describe.Mount{Name: archiveMount, Kinds: []string{bucketKind}})
	return []workload.Role{{Name: dbRole, Kinds: []string{databaseKind}, Mounts: mounts, Needed: workload.Always}}
}

func (a *archive) Dataset(p workload.Parameters, _ workload.Kinds, seed uint64) workload.Dataset {
	return ten(a.Roles(p), p, seed)
}

// archiveDB is ready when its archive can be written to.
type archiveDB struct{ database }

func (w *World) archiveDB() archiveDB { return archiveDB{database{engine{w, ArchiveDB, databaseKind}}} }

func (e archiveDB) Server(in app.Installation, c app.Config) app.Server {
	s := e.database.Server(in, c)
	ready := s.Ready
	s.Ready = func(ctx context.Context, at endpoint.Endpoint) error {
		for _, m := range c.Mounts {
			if m.Role != archiveMount {
				continue
			}
			b, err := endpoint.As[bucket](m)
			if err != nil {
				return err
			}
			if err := e.w.volume(b.Name, func(v *volume) error { v.records[loaded+"archive"] = true; return nil }); err != nil {
				return err
			}
			return ready(ctx, at)
		}
		return errors.New("the archive is not mounted")
	}
	return s
}
