package trial

import (
	"context"
	"slices"

	"plimsoll/internal/app"
	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/job"
)

// readDurability asks the servers for the settings on which durability depends, whoever
// started them: one may come from the study, from a file on the volume, from the
// environment or from the server's administrator.
func (t *trial) readDurability(ctx context.Context) error {
	for {
		err := t.askDurability(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		some, tooMany := t.unanswered()
		if tooMany != nil {
			return tooMany
		}
		if !some {
			return err
		}
	}
}

// askDurability asks all that answer.
func (t *trial) askDurability(ctx context.Context) error {
	var asked []job.EngineCheck
	var of []*member
	for _, i := range t.working() {
		for _, s := range i.Servers {
			if app.CapabilitiesOf(s.Engine).Durability != nil && s.Ready() {
				asked, of = append(asked, job.EngineCheck{Engine: s.Spec.Name, Endpoint: s.Endpoint()}), append(of, t.memberOf(i))
			}
		}
	}
	if len(asked) == 0 {
		return nil
	}
	name := t.prefix() + "durability"
	described, err := task.NewJob(job.DurabilityKind, name, job.Durability{Engines: asked})
	if err != nil {
		return err
	}
	var answers []map[string]string
	if err := platform.Do(ctx, t.Platform, platform.Task{Name: name, Job: described, Deployment: t.variant.Deployment}, nil, &answers); err != nil {
		return err
	}
	for n, settings := range answers[:min(len(answers), len(asked))] {
		of[n].judge(asked[n], settings)
	}
	return nil
}

// judge adds the settings that a server reported to the servers of its role in the result.
func (m *member) judge(e job.EngineCheck, settings map[string]string) {
	for n := range m.result.Servers {
		s := &m.result.Servers[n]
		if s.Role != e.Endpoint.Role {
			continue
		}
		if s.Durability == nil {
			s.Durability = map[string][]string{}
		}
		for name, value := range settings {
			if !slices.Contains(s.Durability[name], value) {
				s.Durability[name] = append(s.Durability[name], value)
			}
		}
		for _, given := range app.GivenUp(m.t.Parts.Engines[e.Engine], settings) {
			if !slices.Contains(s.GivesUp, given) {
				s.GivesUp = append(s.GivesUp, given)
			}
		}
	}
}
