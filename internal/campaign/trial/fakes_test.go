package trial

import (
	"context"

	"plimsoll/internal/app"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/campaign/giveback"
	"plimsoll/internal/campaign/instance"
	"plimsoll/internal/campaign/progress"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/result"
	"plimsoll/internal/storage"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/workload"
)

// someEngine is an engine for tests in which only the running server matters.
type someEngine struct{ app.Engine }

func (someEngine) Capabilities() app.Capabilities                 { return app.Capabilities{} }
func (someEngine) Name() string                                   { return "some" }
func (someEngine) Kind() string                                   { return "some" }
func (someEngine) Server(app.Installation, app.Config) app.Server { return app.Server{} }

// oneRole is a workload with one role.
type oneRole struct{ workload.Workload }

func (oneRole) Name() string { return "one" }
func (oneRole) Roles(workload.Parameters) []workload.Role {
	return []workload.Role{{Name: "db", Kinds: []string{"some", endpoint.Directory}, Mounts: workload.Data(), Needed: workload.Always}}
}

// directories are storage whose volumes are directories.
type directories struct{ storage.Kind }

func (directories) VolumeKinds(any) []string { return []string{endpoint.Directory} }

// starts is a platform on which a server is the process that the test has.
type starts struct {
	platform.Platform
	process platform.Process
}

func (s starts) Start(context.Context, app.Server, storage.Volume, ...platform.Mounted) (platform.Process, error) {
	return s.process, nil
}

// alone makes a trial consist of one application, as in a study without members, with one role
// that an engine fills, or volumes where it has none.
func alone(t *trial, engine string) *trial {
	if t.result == nil {
		t.result = &result.Tile{}
	}
	if t.Env == nil {
		t.Env = &Env{Env: &instance.Env{Plan: &plan.Plan{Study: &study.Study{}}, Watch: progress.New(&plan.Plan{}, nil, nil), Borrowed: &giveback.Databases{}}}
	}
	t.Parts = facts.Parts{
		Workloads: workload.Registry{"one": oneRole{}}, Engines: map[string]app.Engine{"some": someEngine{}}, Kinds: storage.Registry{"": directories{}},
	}
	v := study.Variant{Application: study.Application{Workload: study.Workload{Name: "one", Parameters: struct{ workload.Parameters }{}}, Engine: study.Engine{Name: engine}}}
	found := func(context.Context, app.Engine, string) (app.Installation, error) { return app.Installation{}, nil }
	roles, err := t.Parts.Roles(context.Background(), v, found)
	if err != nil {
		panic(err) // the test is wrong
	}
	t.members = []*member{{t: t, Application: &instance.Application{Env: t.Env.Env, Variant: t.variant, Roles: roles, Storages: t.storages}}}
	return t
}

// running is an instance of one server, of the first application of its trial.
func running(t *trial, number int, p platform.Process, v *storage.Volume) *instance.Instance {
	if len(t.members) == 0 {
		alone(t, "some")
	}
	m := t.members[0]
	i, err := m.New(number)
	if err != nil {
		panic(err) // the test is wrong
	}
	m.instances = append(m.instances, i)
	i.Servers[0].Mounted()[0].Made = v
	if p != nil {
		was := m.Platform
		m.Platform = starts{process: p}
		if err := i.Start(context.Background()); err != nil {
			panic(err)
		}
		m.Platform = was
	}
	return i
}
