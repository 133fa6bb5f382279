package session

import (
	"plimsoll/internal/wire"
	"plimsoll/internal/workload"
)

// Wrap has a session use its connection through w.
func Wrap(s workload.Session, w func(wire.Conn) wire.Conn) {
	own := s.(*session)
	own.conn = w(own.conn)
}

// ByActor, ByTitle and ByCategory give how many products a search finds.
func ByActor(s workload.Session, family string, limit int64) (int, error) {
	own := s.(*session)
	own.batch.Reset().Call(own.statements.byActor).Text(family).Int(limit)
	return own.rows()
}

func ByTitle(s workload.Session, word string, limit int64) (int, error) {
	own := s.(*session)
	own.batch.Reset().Call(own.statements.byTitle).Text(word).Int(limit)
	return own.rows()
}

func ByCategory(s workload.Session, category, limit int64) (int, error) {
	own := s.(*session)
	own.batch.Reset().Call(own.statements.byCategory).Int(category).Int(limit)
	return own.rows()
}

func (s *session) rows() (int, error) {
	r, err := s.perform()
	if err != nil {
		return 0, err
	}
	return r.Rows(0), nil
}
