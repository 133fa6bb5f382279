package mail_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/app/dovecot"
	"plimsoll/internal/app/postfix"
	"plimsoll/internal/client/mailbox"
	"plimsoll/internal/conformance/mailboxtest"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/storage"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/driver"
	"plimsoll/internal/workload/mail"

	"github.com/emersion/go-imap/v2"
)

// part is one server of a system with its volume.
type part struct {
	server  app.Server
	volume  storage.Volume
	process platform.Process
}

// system is a mail system on this machine.
type system struct {
	platform    platform.Platform
	store, smtp *part
}

// start starts a system, whose volumes are file systems in memory of so many bytes, 0 for
// directories.
func start(t *testing.T, settings map[string]string, storeBytes, queueBytes int64) *system {
	t.Helper()
	s := &system{platform: localtest.Platform(t)}
	t.Cleanup(func() {
		if err := s.platform.Close(context.Background()); err != nil {
			t.Errorf("close the platform: %v", err)
		}
	})
	c := app.Config{Name: "mail", Users: 8, Password: "users'", AdminPassword: "admin's", Settings: settings}
	s.store = s.part(t, dovecot.Engine{}, c, storeBytes)
	c.Name, c.Settings, c.Peers = "smtp", nil, []endpoint.Endpoint{s.store.process.Endpoint()}
	s.smtp = s.part(t, postfix.Engine{}, c, queueBytes)
	return s
}

func (s *system) part(t *testing.T, e app.Engine, c app.Config, bytes int64) *part {
	t.Helper()
	in, err := e.Find(t.Context(), "", false)
	if err != nil {
		t.Skip(err)
	}
	p := &part{server: e.Server(in, c), volume: localtest.Volume(t, s.platform, c.Name)}
	if bytes > 0 {
		localtest.InMemory(t, s.platform, p.volume, bytes)
	}
	for _, step := range e.Initialise(in, c) {
		if err := s.platform.Run(t.Context(), step, p.volume); err != nil {
			t.Fatal(err)
		}
	}
	s.launch(t, p)
	return p
}

// launch starts a server, again after its end.
func (s *system) launch(t *testing.T, p *part) {
	t.Helper()
	var err error
	if p.process, err = s.platform.Start(t.Context(), p.server, p.volume); err != nil {
		t.Fatal(err)
	}
}

const luckUsers = 3

func (s *system) target() workload.Target {
	t := workload.Target{Users: luckUsers}
	for role, p := range map[string]*part{"mail": s.store, "smtp": s.smtp} {
		e := p.process.Endpoint()
		e.Role = role
		t.Endpoints = append(t.Endpoints, e)
	}
	return t
}

func (s *system) prepare(t *testing.T, p workload.Parameters) {
	t.Helper()
	if err := (mail.Workload{}).Prepare(t.Context(), s.target(), p, 1, func(float64) {}); err != nil {
		t.Fatal(err)
	}
}

// log is what a user reports.
type log struct {
	lock     sync.Mutex
	receipts [][]byte
}

func (*log) Observe(int, time.Time, time.Duration, workload.Outcome) {}
func (*log) Moved(int, int64)                                        {}
func (*log) Spent(int, describe.Effort)                              {}
func (l *log) Receipt(r []byte) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.receipts = append(l.receipts, append([]byte(nil), r...))
}

// act has a user do so many actions, on a new connection after one was lost, and gives the
// classes of the errors.
func (s *system) act(t *testing.T, p workload.Parameters, l *log, user, actions int, each func(n int)) map[string]int {
	errs := map[string]int{}
	var session workload.Session
	for n := 0; n < actions; n++ {
		if session == nil {
			open, err := (mail.Workload{}).Open(t.Context(), s.target(), p, user, uint64(n))
			if err != nil {
				errs[driver.Classify(err)]++
				time.Sleep(50 * time.Millisecond) // the server comes back
				continue
			}
			session = open
		}
		if err := session.Do(t.Context(), l); err != nil {
			errs[driver.Classify(err)]++
		}
		if session.Broken() {
			session.Close()
			session = nil
		}
		each(n)
	}
	if session != nil {
		session.Close()
	}
	return errs
}

func (s *system) audit(t *testing.T, p workload.Parameters, l *log) describe.Audit {
	t.Helper()
	given := func(yield func([]byte) bool) error {
		for _, r := range l.receipts {
			if !yield(r) {
				return nil
			}
		}
		return nil
	}
	found, err := (mail.Workload{}).Audit(t.Context(), s.target(), p, 1, given)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range found.Checks {
		if !c.Passed {
			t.Errorf("%s: expected %d, found %d: %q", c.Name, c.Expected, c.Found, c.Examples)
		}
	}
	t.Logf("%d acknowledged, %d doubtful, %d present", found.Acknowledged, found.Doubtful, found.Present)
	if found.Present != found.Acknowledged {
		t.Error("messages that were accepted are lost")
	}
	return found
}

// The mailboxes' server is killed while users are at work and messages are on their way; what
// was accepted is there.
func TestAKilledDovecotLosesNothing(t *testing.T) {
	s, p, l := start(t, nil, 0, 0), parametersWith(func(*mail.Parameters) {}), &log{}
	s.prepare(t, p)
	var wait sync.WaitGroup
	half := make(chan struct{}, luckUsers)
	over := make(chan struct{})
	for user := range luckUsers {
		wait.Go(func() {
			errs := s.act(t, p, l, user, 60, func(n int) {
				if n == 20 {
					half <- struct{}{}
				}
				if n == 40 {
					<-over
				}
			})
			t.Logf("user %d: errors %v", user, errs)
		})
	}
	<-half
	if err := s.store.process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.store.process.Done()
	s.launch(t, s.store)
	close(over)
	wait.Wait()
	if found := s.audit(t, p, l); found.Acknowledged == 0 {
		t.Error("nothing was accepted")
	}
}

// A delivery has the same name whether only its lines are read, as users do, or the whole
// message, as the audit does.
func TestOneNameForADelivery(t *testing.T) {
	s, l := start(t, nil, 0, 0), &log{}
	s.prepare(t, sends())
	if errs := s.act(t, sends(), l, 0, 1, func(int) {}); len(errs) > 0 {
		t.Fatal(errs)
	}
	in := inbox(t, s.target())
	about, err := in.Select("INBOX", nil).Wait()
	if err != nil {
		t.Fatal(err)
	}
	lines := &imap.FetchItemBodySection{Specifier: imap.PartSpecifierHeader, HeaderFields: []string{"Received"}, Peek: true}
	whole := &imap.FetchItemBodySection{Peek: true}
	sections := &imap.FetchOptions{BodySection: []*imap.FetchItemBodySection{lines, whole}}
	got, err := in.Fetch(imap.SeqSetNum(about.NumMessages), sections).Collect()
	if err != nil {
		t.Fatal(err)
	}
	a, b := mail.ArrivalIn(got[0].FindBodySection(lines)), mail.ArrivalIn(got[0].FindBodySection(whole))
	if a != b || a == 0 {
		t.Errorf("%x by its lines, %x by the whole message", a, b)
	}
}

// sends are parameters of users who only send.
func sends() workload.Parameters {
	return parametersWith(func(p *mail.Parameters) {
		p.Mix, p.Deliver = p.Mix[1:2], p.Idle*200
	})
}

// While the volume with the mailboxes is full, messages are accepted and stay in the queue,
// which is counted; when there is space again, all are delivered.
func TestAFullMailVolumeFillsTheQueue(t *testing.T) {
	s, p, l := start(t, nil, 16<<20, 0), sends(), &log{}
	s.prepare(t, p)
	rest := filepath.Join(s.store.volume.Path, "rest")
	fill(t, rest)
	errs := s.act(t, p, l, 0, 3, func(int) {})
	t.Logf("errors %v", errs)
	if errs["not-delivered"] != 3 {
		t.Errorf("%v, want that no message is delivered", errs)
	}
	r, err := postfix.Engine{}.Read(t.Context(), s.smtp.process.Endpoint())
	if err != nil || r.Busy+r.Waiting != 3 {
		t.Errorf("%+v, %v, want that 3 messages are in the queue", r, err)
	}
	if err := os.Remove(rest); err != nil {
		t.Fatal(err)
	}
	s.audit(t, p, l)
}

// fill takes all space that is left.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
}

// A mail server whose own volume is full accepts nothing, and says so.
func TestAFullQueueAcceptsNothing(t *testing.T) {
	s, p, l := start(t, nil, 0, 8<<20), sends(), &log{}
	s.prepare(t, p)
	if errs := s.act(t, p, l, 0, 3, func(int) {}); errs[errorclass.OutOfSpace] != 3 {
		t.Errorf("%v, want that there is no space", errs)
	}
	if found := s.audit(t, p, l); found.Acknowledged != 0 {
		t.Errorf("%d messages were acknowledged", found.Acknowledged)
	}
}

// A user for whom the mailboxes' server has no process waits until another one leaves, and its
// log says why; the others work on.
func TestNoProcessIsLeft(t *testing.T) {
	s := start(t, map[string]string{"imap_process_limit": "2"}, 0, 0)
	e := s.store.process.Endpoint()
	var open []*mailbox.Inbox
	for range 2 {
		in, err := mailbox.OpenInbox(t.Context(), e, "u00000")
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		open = append(open, in)
	}
	third := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		in, err := mailbox.OpenInbox(ctx, e, "u00001")
		if err != nil {
			return err
		}
		return in.Close()
	}
	if err := third(); err == nil {
		t.Error("the third user has a process")
	}
	if text := s.logs(t); !strings.Contains(text, "process_limit (2) reached") {
		t.Errorf("no log says why: %s", text)
	}
	if err := open[0].Noop().Wait(); err != nil {
		t.Error(err)
	}
	if err := open[1].Logout().Wait(); err != nil {
		t.Error(err)
	}
	if err := mailboxtest.Eventually(t.Context(), third); err != nil {
		t.Errorf("the third user, when another one has left: %v", err)
	}
}

// logs is what all servers have said.
func (s *system) logs(t *testing.T) (text string) {
	t.Helper()
	all, err := s.platform.Logs(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		r, err := l.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		part, err := io.ReadAll(r)
		if err = errors.Join(err, r.Close()); err != nil {
			t.Fatal(err)
		}
		text += string(part)
	}
	return text
}
