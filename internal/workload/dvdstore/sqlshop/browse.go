package sqlshop

import (
	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/workload/dvdstore/session"
)

// Browse implements session.Shop.
func (s *Shop) Browse(_ int64, search session.Search) error {
	_, err := s.browse(search)
	return err
}

func (s *Shop) browse(search session.Search) (*sqlwire.Results, error) {
	s.batch.Reset()
	switch search.By {
	case session.ByCategory:
		s.batch.Call(s.statements.byCategory).Int(search.Category)
	case session.ByActor:
		s.batch.Call(s.statements.byActor).Text(search.Word)
	default:
		s.batch.Call(s.statements.byTitle).Text(search.Word)
	}
	s.batch.Int(search.Limit)
	return s.perform()
}
