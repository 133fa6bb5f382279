package tpcds

import (
	"context"
	"testing"
	"time"

	"plimsoll/internal/text/unit"
)

// limits notes the time limits that queries are run with.
type limits struct {
	store
	asked []time.Duration
}

func (l *limits) ask(_ context.Context, _ string, limit time.Duration) (answer, error) {
	l.asked = append(l.asked, limit)
	return answer{}, nil
}

// A query whose right answer is noted while loading may take longer than a measured one.
func TestLoadingHasNoTimeLimit(t *testing.T) {
	db := &limits{}
	l := loader{db: db, p: &Parameters{TimeLimit: unit.Duration(time.Millisecond)}}
	if _, err := l.answered(t.Context(), 1, "select 1"); err != nil || len(db.asked) != 1 || db.asked[0] != 0 {
		t.Errorf("limits %v, %v", db.asked, err)
	}
}
