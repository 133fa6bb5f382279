package facts

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/sanitize"
	"plimsoll/internal/workload"
)

// Bounds of what a plan asks of existing servers.
const (
	askLimit    = 10 * time.Second
	askedAtOnce = 16
)

// serverAnswers are the answers of existing servers, which serve all variants of a plan.
type serverAnswers struct {
	mu      sync.Mutex
	answers map[endpoint.Endpoint]answer
}

// answer is a server's answer, or why there is none.
type answer struct {
	access app.ServerAccess
	err    error
}

// AskAgain checks whether a resumed run can still use the existing servers of a plan. A database
// is not refused because of the run's own mark and notes.
func AskAgain(ctx context.Context, parts Parts, p *plan.Plan, run string, by Asking) ([]describe.Problem, error) {
	has, err := parts.Platform.Capacity(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask the platform what it has: %w", err)
	}
	d := describer{ctx: ctx, parts: parts, answers: answersFrom(has), questions: &questions{Asking: by}, run: run}
	nothing := func(context.Context, app.Engine, string) (app.Installation, error) { return app.Installation{}, nil }
	var problems []describe.Problem
	for _, v := range p.Applications() {
		var facts plan.Facts
		roles, err := parts.Roles(ctx, v, nothing)
		if err != nil {
			return nil, err
		}
		for _, m := range roles {
			m.By.ask(d, m, v, &facts)
		}
		problems = append(problems, slices.DeleteFunc(facts.Problems, func(same describe.Problem) bool { return slices.Contains(problems, same) })...)
	}
	return problems, nil
}

// askBorrowed finds out whether the servers that a role is to be filled by let the
// study's user do what a run does, and how many connections they have left.
func (d describer) askBorrowed(m Role, v study.Variant, facts *plan.Facts) {
	field := "engine.existing"
	if _, long := v.Stack[m.Name]; long {
		field = "stack." + m.Name + ".existing"
	}
	problem := func(what string) {
		facts.Problems = append(facts.Problems, describe.Problem{Text: field + ": " + sanitize.Masked(what), Hint: "correct " + field + " in the study, or what it names"})
	}
	if m.Spec.Existing.TLS != "" && facts.Pooled > 0 {
		problem("the servers of the stack that use the database do not encrypt their connections; leave tls away, or have users talk to the database itself")
	}
	ask := app.CapabilitiesOf(m.Engine).Ask
	ok := ask != nil && d.answers != nil
	if ok && !d.questions.may(whom(*m.Spec.Existing)) || d.questions.Never {
		return
	}
	by, err := AccessTo(*m.Spec.Existing)
	if err != nil {
		problem(err.Error())
		return
	}
	if !ok {
		return
	}
	unkeyed, err := d.unkeyed(m, v)
	if err != nil {
		problem(err.Error())
	}
	answers := d.answers.ask(d.ctx, ask, endpoints(m, by))
	for n, a := range answers {
		server := m.Spec.Existing.Servers[n]
		if a.err != nil {
			problem(a.err.Error())
			continue
		}
		for _, why := range a.access.Refuses {
			problem(server + ": " + why)
		}
		if why := a.access.Held.Refuses(d.run, m.Spec.Existing.TakeOver); why != nil {
			problem(server + ": " + why.Error())
		}
		if wants := a.access.WantsKeys; wants != "" && len(unkeyed) > 0 {
			problem(fmt.Sprintf("%s: the server refuses tables without a primary key (%s), and the workload has such tables: %s; turn that off there, or choose another workload", server, wants, strings.Join(unkeyed, ", ")))
		}
		if same := firstOf(answers, func(s app.ServerAccess) string { return s.Database }, n); same < n {
			problem(fmt.Sprintf("%s and %s are one database, which cannot be two instances' at once; make one for each", m.Spec.Existing.Servers[same], server))
		}
		server = endpoints(m, by)[firstOf(answers, func(s app.ServerAccess) string { return s.Server }, n)].Address
		facts.Connect(server, a.access.Free, a.access.Slots, n)
	}
}

// unkeyed are the tables of a role that have no primary key.
func (d describer) unkeyed(m Role, v study.Variant) ([]string, error) {
	w, params, err := d.parts.Workload(v)
	if err != nil {
		return nil, err
	}
	return w.Dataset(params, workload.Kinds{m.Name: m.Kind}, d.seed).Roles[m.Name].Unkeyed, nil
}

// firstOf is the first server that is known by the same identity as the nth; the nth where
// it has none.
func firstOf(answers []answer, identity func(app.ServerAccess) string, n int) int {
	if identity(answers[n].access) == "" {
		return n
	}
	return slices.IndexFunc(answers, func(a answer) bool { return identity(a.access) == identity(answers[n].access) })
}

// whom names existing servers, and where the secrets are from that they are asked with.
func whom(x study.Existing) string {
	text := strings.Join(slices.Compact(slices.Sorted(slices.Values(x.Servers))), ", ")
	if x.User != "" {
		text += " as user " + x.User
	}
	switch {
	case x.PasswordFile != "":
		text += " with the password from the file " + x.PasswordFile
	case x.PasswordEnv != "":
		text += " with the password in the variable " + x.PasswordEnv
	}
	if x.ClientKey != "" {
		text += " and the key of the file " + x.ClientKey
	}
	return text
}

// endpoints returns the endpoints of the existing servers of a role, by instance.
func endpoints(m Role, by Access) []endpoint.Endpoint {
	all := make([]endpoint.Endpoint, len(m.Spec.Existing.Servers))
	for n := range all {
		all[n] = BorrowedEndpoint(*m.Spec.Existing, n, by)
		all[n].Kind = m.Kind
	}
	return all
}

// ask asks servers that were not asked before, many at once and for a bounded time.
func (a *serverAnswers) ask(ctx context.Context, by func(context.Context, endpoint.Endpoint) (app.ServerAccess, error), servers []endpoint.Endpoint) []answer {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	var g errgroup.Group
	g.SetLimit(askedAtOnce)
	for i, e := range servers {
		if slices.Index(servers, e) < i {
			continue
		}
		g.Go(func() error {
			a.mu.Lock()
			_, known := a.answers[e]
			a.mu.Unlock()
			if known {
				return nil
			}
			access, err := by(ctx, e)
			if ctx.Err() != nil {
				err = fmt.Errorf("no answer within %s: %w", askLimit, err)
			}
			a.mu.Lock()
			defer a.mu.Unlock()
			a.answers[e] = answer{access, err}
			return nil
		})
	}
	_ = g.Wait() // answers hold the errors
	answers := make([]answer, len(servers))
	for i, e := range servers {
		answers[i] = a.answers[e]
	}
	return answers
}
