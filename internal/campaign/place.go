package campaign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/task"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/job"
	"plimsoll/internal/study"
)

// Bounds of how many instances are prepared in place at once, at first.
const (
	fewestPrepared = 2
	mostPrepared   = 16
)

// prepareAtOnce is how many instances are prepared in place at once, at first: who loads and
// who stores take a core each.
func (c *Campaign) prepareAtOnce() int {
	return max(fewestPrepared, min(int(c.has.Cores)/2, mostPrepared))
}

// prepare makes and fills what belongs to the instance, on volumes of its own or on
// an existing server. Its servers get no limits meanwhile: loading is preparation,
// not measurement.
func (i *instance) prepare(ctx context.Context) error {
	err := i.eachServer(func(s *server) error {
		if err := s.provision(ctx); err != nil {
			return err
		}
		return s.lay(ctx)
	})
	if err != nil {
		return err
	}
	for _, e := range i.borrowed() {
		if err := i.t.c.journal.Making(databaseObject(e)); err != nil {
			return err
		}
	}
	loadErr := i.prepareBy(ctx, i.unique()+"-load", job.Prepare{Borrowed: i.borrowed(), Run: i.t.c.o.RunID})
	patient, cancel := i.t.c.patient(ctx)
	defer cancel()
	return errors.Join(loadErr, i.stop(patient))
}

// borrowed lists its servers that are existing ones and keep data, for tasks.
func (i *instance) borrowed() (all []job.EngineCheck) {
	for _, s := range i.servers {
		all = append(all, s.by.borrowed(s)...)
	}
	return all
}

// giveBack drops what was made on an existing server, and nothing else.
func (i *instance) giveBack(ctx context.Context) error {
	err := i.t.c.release(ctx, i.unique()+"-release", i.borrowed())
	if err != nil {
		i.t.c.pending.Store(true)
	}
	return err
}

// release has a task drop what this run made on existing servers.
func (c *Campaign) release(ctx context.Context, name string, borrowed []job.EngineCheck) error {
	if len(borrowed) == 0 {
		return nil
	}
	described, err := task.NewJob(job.ReleaseKind, name, job.Release{Engines: borrowed, Run: c.o.RunID})
	if err != nil {
		return err
	}
	if err := platform.Do(ctx, c.platform, platform.Task{Name: name, Job: described}, nil, nil); err != nil {
		return err
	}
	for _, e := range borrowed {
		if err := c.journal.Removed(databaseObject(e)); err != nil {
			return err
		}
	}
	return nil
}

// giveBackRest gives back everything that is still borrowed, either because a process of this run
// crashed or because an earlier attempt to give it back failed.
func (c *Campaign) giveBackRest(ctx context.Context) error {
	if c.platform == nil || !c.pending.Load() {
		return nil
	}
	var all []job.EngineCheck
	for _, v := range each(c.o.Plan.Variants) {
		borrowed, err := c.parts.borrowedBy(v)
		if err != nil {
			return fmt.Errorf("give back the databases of existing servers: %w", err)
		}
		all = append(all, borrowed...)
	}
	return c.release(ctx, "release", all)
}

// borrowedBy lists every database on existing servers that a variant may use.
func (p Parts) borrowedBy(v study.Variant) (all []job.EngineCheck, err error) {
	for _, e := range append(slices.Collect(maps.Values(v.Stack)), v.Engine) {
		if e.Existing == nil || app.CapabilitiesOf(p.Engines[e.Name]).Borrower == nil {
			continue
		}
		by, err := accessTo(*e.Existing)
		if err != nil {
			return nil, err
		}
		for n := range e.Existing.Servers {
			all = append(all, job.EngineCheck{Engine: e.Name, Endpoint: borrowedEndpoint(*e.Existing, n, by)})
		}
	}
	return all, nil
}

// borrowedEndpoint is the database that an instance uses on an existing server.
func borrowedEndpoint(x study.Existing, instance int, by access) endpoint.Endpoint {
	p, _ := x.Place(x.Servers[instance]) // the study was checked
	e := endpoint.Endpoint{
		Network: p.Network, Address: p.Address, User: x.User, Password: by.password,
		Lent: true, TLS: x.TLS, Certificate: by.authorities, ClientCertificate: by.certificate, ClientKey: by.key,
	}
	if p.Database != "" {
		e.Payload = endpoint.With(endpoint.SQL{Database: p.Database})
	}
	return e
}

// access is what lets the users of a study into an existing server: a password, who may
// have signed the server's certificate, and a certificate of their own with its key.
type access struct{ password, authorities, certificate, key string }

// accessTo reads it from where the study says.
func accessTo(x study.Existing) (a access, err error) {
	if a.password, err = secretOf(x); err != nil {
		return a, err
	}
	for _, f := range []struct {
		what, path string
		secret     bool
		text       *string
	}{
		{"the certificates of ca_file", x.CAFile, false, &a.authorities},
		{"the certificate of client_cert", x.ClientCert, false, &a.certificate},
		{"the key of client_key", x.ClientKey, true, &a.key},
	} {
		if f.path == "" {
			continue
		}
		read := untrusted.Filled
		if f.secret {
			read = untrusted.Secret
		}
		if *f.text, err = read(f.path); err != nil {
			return a, fmt.Errorf("%s: %w", f.what, err)
		}
	}
	return a, nil
}

// secretOf reads the password of an existing server from where the study says.
func secretOf(x study.Existing) (string, error) {
	if x.PasswordEnv == "" && x.PasswordFile == "" { // a server that asks for none
		return "", nil
	}
	if x.PasswordEnv != "" {
		if p, ok := os.LookupEnv(x.PasswordEnv); ok {
			return p, nil
		}
		return "", fmt.Errorf("the password of %s: the variable %s is not set", x.User, x.PasswordEnv)
	}
	text, err := untrusted.Line(x.PasswordFile)
	if err != nil {
		return "", fmt.Errorf("the password of %s: %w", x.User, err)
	}
	return text, nil
}
