package facts

import (
	"context"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/study"
	"plimsoll/internal/workload"
)

// judge is an engine that refuses everything.
type judge struct{ app.Engine }

func (e judge) Capabilities() app.Capabilities { return app.Capabilities{Config: e} }

func (judge) CheckConfig(context.Context, app.Installation, app.Config) ([]describe.Problem, error) {
	return []describe.Problem{{Path: "settings.path", Text: "impossible"}}, nil
}

func (judge) Outward() app.OutwardSettings { return app.OutwardSettings{Powers: []string{"command"}} }

// ownJudge is one that is this program itself.
type ownJudge struct{ judge }

func (e ownJudge) Capabilities() app.Capabilities { return app.Capabilities{Config: e, Builtin: true} }

// Where programs lie in images nobody can be asked before they run, except this program.
func TestOwnEnginesAreAskedWhereverTheyRun(t *testing.T) {
	for name, c := range map[string]struct {
		engine app.Engine
		in     app.Installation
		asked  int
	}{
		"a server here":         {judge{}, app.Installation{Paths: map[string]string{"server": "/bin/server"}}, 1},
		"a server in an image":  {judge{}, app.Installation{Image: "server:1"}, 0},
		"this program in a pod": {ownJudge{}, app.Installation{Image: "plimsoll:1"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			m := Role{Role: workload.Role{Name: "sink"}, Engine: c.engine}
			found, err := describer{ctx: t.Context()}.refusals(m, c.in, app.Config{}, study.Variant{})
			if err != nil || len(found) != c.asked {
				t.Errorf("%v, %v", found, err)
			}
			config := app.Config{Settings: map[string]string{"command": "id"}}
			if found, err := (describer{ctx: t.Context()}).refusals(m, c.in, config, study.Variant{}); err != nil || len(found) != 1 {
				t.Errorf("a setting that needs no server to be refused: %v, %v", found, err)
			}
		})
	}
}
