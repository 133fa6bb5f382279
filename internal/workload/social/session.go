package social

import (
	"context"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"time"

	"plimsoll/internal/client/httpwire"
	"plimsoll/internal/client/webpage"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
)

// operation is what a visitor does, an index into operationNames.
type operation int

// The visit as a whole, the pages of the mix, and what may follow a look at an event.
const (
	visit operation = iota
	home
	login
	tagSearch
	event
	person
	addPerson
	addEvent
	picture
	attend
	comment
)

var operationNames = []string{"visit", "home", "login", "tag-search", "event", "person", "add-person", "add-event", "picture", "attend", "comment"}

// visitNames returns the names of the visits in the mix.
func visitNames() []string { return operationNames[home : addEvent+1] }

// visitLimit is how long a visit may take before it fails. It is far above any response
// time worth measuring.
const visitLimit = 5 * time.Minute

// session is one user on one connection.
type session struct {
	conn    *httpwire.Conn
	p       *Parameters
	random  *rand.Rand
	rec     workload.Recorder // of the visit under way
	request webpage.Request
	id      int64   // the person that the user is
	seen    []int64 // events of the page before
	body    []byte  // that is sent, for reuse

	watch workload.Watch
}

var _ workload.Session = (*session)(nil)

func open(ctx context.Context, e endpoint.Endpoint, p *Parameters, seed uint64) (*session, error) {
	conn, err := httpwire.Open(ctx, e)
	if err != nil {
		return nil, err
	}
	s := &session{conn: conn, p: p, random: rand.New(rand.NewPCG(seed, 0))}
	s.id = 1 + s.random.Int64N(p.People)
	return s, nil
}

// Do visits one page of the mix, with what belongs to it.
func (s *session) Do(ctx context.Context, rec workload.Recorder) error {
	s.watch.Over(ctx, s.conn)
	s.rec = rec
	begun := workload.Now()
	err := s.conn.SetDeadline(begun.Add(visitLimit))
	if err == nil {
		err = s.visit(s.p.Mix.Draw(s.random))
	}
	return s.observed(visit, begun, err)
}

func (s *session) visit(name string) error {
	switch name {
	case operationNames[home]:
		return s.list(home, s.begin("home"))
	case operationNames[tagSearch]:
		return s.list(tagSearch, s.begin("tag").Text("tag", tagOf(s.random)))
	case operationNames[login]:
		return s.login()
	case operationNames[event]:
		return s.event()
	case operationNames[person]:
		return s.look(person, s.begin("person").Number("personid", 1+s.random.Int64N(s.p.People)))
	case operationNames[addPerson]:
		return s.addPerson()
	}
	return s.addEvent()
}

// begin starts the request of a page.
func (s *session) begin(page string) *webpage.Request { return s.request.Begin("/"+directory, page) }

// get fetches the page that was asked for.
func (s *session) get() (webpage.Page, error) {
	answer, err := s.conn.Get(s.request.Target)
	if err != nil {
		return webpage.Page{}, err
	}
	return webpage.Read(s.request.Page, answer)
}

// list is a page with events, which a look at one of them may follow.
func (s *session) list(o operation, _ *webpage.Request) error {
	return s.timed(o, func() error {
		p, err := s.get()
		if err == nil {
			s.seen = p.Numbers("eventid", s.seen[:0])
		}
		return err
	})
}

func (s *session) login() error {
	id := 1 + s.random.Int64N(s.p.People)
	s.begin("login").Numbered("username", loadedPrefix, id).Text("password", password)
	return s.timed(login, func() error {
		p, err := s.get()
		if err != nil {
			return err
		}
		if p.Says == webpage.Refused {
			return p.Wrong("it refuses %s%d with the usual password: the database has other people than the study says", loadedPrefix, id)
		}
		s.id, err = p.Number("personid")
		return err
	})
}

// event looks at one of the events of the page before, or else at any, and at its
// picture. The person may attend it, and comment on it.
func (s *session) event() error {
	id := 1 + s.random.Int64N(s.p.events())
	if len(s.seen) > 0 {
		id = s.seen[s.random.IntN(len(s.seen))]
	}
	if err := s.look(event, s.begin("event").Number("eventid", id)); err != nil {
		return err
	}
	if s.random.Float64()*100 < s.p.Attend {
		if err := s.attend(id); err != nil {
			return err
		}
	}
	if s.random.Float64()*100 < s.p.Comment {
		return s.comment(id)
	}
	return nil
}

// look fetches a page and the picture on it, and compares the picture with its checksum.
func (s *session) look(o operation, _ *webpage.Request) error {
	var file, crc int64
	err := s.timed(o, func() error {
		p, err := s.get()
		if err != nil {
			return err
		}
		if file, err = p.Number("pictureid"); err == nil {
			crc, err = p.Number("picturecrc")
		}
		return err
	})
	if err != nil {
		return err
	}
	s.begin("file").Number("fileid", file)
	return s.timed(picture, func() error {
		answer, err := s.conn.Get(s.request.Target)
		switch {
		case err != nil:
			return err
		case answer.Status != 200:
			return fmt.Errorf("picture %d: %w", file, &httpwire.StatusError{Status: answer.Status})
		case int64(crc32.ChecksumIEEE(answer.Body)) != crc:
			return wrongFile{file}
		}
		s.rec.Moved(int(picture), int64(len(answer.Body)))
		return nil
	})
}

// wrongFile is a file that is not what was sent.
type wrongFile struct{ id int64 }

func (w wrongFile) Error() string {
	return fmt.Sprintf("file %d is not what was sent: its checksum is another", w.id)
}

// ErrorClass is what results count it under.
func (wrongFile) ErrorClass() string { return "wrong-content" }

func (s *session) addPerson() error {
	r := s.newReceipt(aPerson)
	s.body = fileContent(s.body[:0], r.Ref, int64(s.p.Picture))
	r.First = crc32.ChecksumIEEE(s.body)
	s.begin("addperson").Numbered("username", newPrefix, r.Ref).Text("password", password).
		Numbered("about", "Registered as ", r.Ref).Number("ref", r.Ref).Number("picture", int64(s.p.Picture))
	return s.written(addPerson, r, "personid", true)
}

func (s *session) addEvent() error {
	r := s.newReceipt(anEvent)
	r.Person = s.id
	s.body = fileContent(s.body[:0], r.Ref, int64(s.p.Picture+s.p.Document))
	r.First, r.Second = crc32.ChecksumIEEE(s.body[:s.p.Picture]), crc32.ChecksumIEEE(s.body[s.p.Picture:])
	s.begin("addevent").Number("personid", s.id).Numbered("title", "Event ", r.Ref).Numbered("description", "Announced as ", r.Ref).
		Text("tags", tagOf(s.random)+" "+tagOf(s.random)).Number("ref", r.Ref).
		Number("picture", int64(s.p.Picture)).Number("document", int64(s.p.Document))
	return s.written(addEvent, r, "eventid", true)
}

func (s *session) attend(of int64) error {
	r := s.newReceipt(anAttendance)
	r.Person, r.Event = s.id, of
	s.begin("attend").Number("eventid", of).Number("personid", s.id).Number("ref", r.Ref)
	return s.written(attend, r, "eventid", false)
}

func (s *session) comment(of int64) error {
	r := s.newReceipt(aComment)
	r.Person, r.Event = s.id, of
	s.begin("comment").Number("eventid", of).Number("personid", s.id).Numbered("said", "Said as ", r.Ref).Number("ref", r.Ref)
	return s.written(comment, r, "commentid", false)
}

// written asks for a page that writes one thing, and keeps its receipt: after most errors
// nobody knows whether it did.
func (s *session) written(o operation, r receipt, answer string, post bool) error {
	return s.timed(o, func() error {
		p, err := s.write(post)
		switch {
		case err == nil && p.Says == webpage.Taken:
			return nil // and nothing was written
		case err == nil:
			_, err = p.Number(answer)
		case webpage.Untaken(err):
			return err
		}
		r.Doubtful = err != nil
		s.rec.Receipt(r.Append(nil))
		return err
	})
}

func (s *session) write(post bool) (webpage.Page, error) {
	if !post {
		return s.get()
	}
	answer, err := s.conn.Post(s.request.Target, s.body)
	if err != nil {
		return webpage.Page{}, err
	}
	return webpage.Read(s.request.Page, answer)
}

// newReceipt is one of something that is written under a number of its own. So many are
// there to draw from that hardly any is drawn twice; the database refuses one that is.
func (s *session) newReceipt(of thing) receipt {
	return receipt{Of: of, Ref: 1 + s.random.Int64N(maxRef)}
}

// timed performs and observes an operation.
func (s *session) timed(o operation, perform func() error) error {
	begun := workload.Now()
	return s.observed(o, begun, perform())
}

// observed reports an operation that ends now and passes its error on.
func (s *session) observed(o operation, begun time.Time, err error) error {
	s.rec.Observe(int(o), begun, time.Since(begun), workload.OutcomeOf(err))
	return err
}

// Broken implements workload.Session.
func (s *session) Broken() bool { return s.conn.Broken() }

// Close implements workload.Session.
func (s *session) Close() error {
	s.watch.End()
	return s.conn.Close()
}
