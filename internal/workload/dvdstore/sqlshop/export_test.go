package sqlshop

import (
	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/workload/dvdstore/session"
)

// Wrap has a shop use its connection through w.
func (s *Shop) Wrap(w func(sqlwire.Conn) sqlwire.Conn) { s.conn = w(s.conn) }

// Found returns how many products a search finds.
func (s *Shop) Found(search session.Search) (int, error) {
	r, err := s.browse(search)
	if err != nil {
		return 0, err
	}
	return r.Rows(0), nil
}
