package session

import (
	"fmt"

	"plimsoll/internal/workload/dvdstore/data"
)

// browse searches once: by category among the specials, by the family name of
// an actor, or by a word of the title.
func (s *session) browse() error {
	s.batch.Reset()
	kind := s.random.N(3)
	switch kind {
	case 0:
		s.batch.Call(s.statements.byCategory).Int(s.random.Between(1, data.Categories))
	case 1:
		_, family := data.Actor(s.random.N(data.Actors))
		s.batch.Call(s.statements.byActor).Text(family)
	default:
		s.batch.Call(s.statements.byTitle).Text(data.TitleWord(s.random.N(data.TitleWords)))
	}
	s.batch.Int(int64(s.upTo(s.config.SearchBatchSize)))
	if _, err := s.perform(); err != nil {
		return fmt.Errorf("browse by %s: %w", [...]string{"category", "actor", "title"}[kind], err)
	}
	return nil
}
