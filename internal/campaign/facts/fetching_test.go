package facts

import (
	"context"
	"errors"
	"slices"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/platform"
)

// elsewhere finds nothing, or an engine that it would have to fetch.
type elsewhere struct {
	platform.Kind
	err     error
	fetches bool
}

func (e *elsewhere) Find(_ context.Context, _ app.Engine, _ string, fetch bool) (app.Installation, error) {
	e.fetches = fetch
	return app.Installation{}, e.err
}

// A plan notes what a run fetches, once, and goes on with it; it fetches nothing itself. What
// cannot be fetched is missing, and so is all where nothing may be fetched.
func TestAPlanNotesWhatARunFetches(t *testing.T) {
	fetchable := &app.FetchableError{Missing: errors.New("not installed"), In: app.Installation{Version: "9"}, What: []string{"DB 9 (1 MB)"}}
	for _, c := range []struct {
		mode  Fetching
		err   error
		notes []string
	}{
		{FetchLater, fetchable, []string{"DB 9 (1 MB)"}},
		{FetchLater, errors.New("not for this machine"), nil},
		{FetchNever, fetchable, nil},
		{FetchNow, errors.New("no network"), nil},
	} {
		kind := &elsewhere{err: c.err}
		d := describer{parts: Parts{Platform: kind}, fetch: c.mode, toFetch: &fetchList{}}
		for range 2 {
			in, err := d.find(t.Context(), nil, "")
			if (err == nil) != (len(c.notes) > 0) || err == nil && in.Version != "9" {
				t.Errorf("%v: %+v, %v", c, in, err)
			}
		}
		if !slices.Equal(d.toFetch.what, c.notes) || kind.fetches != (c.mode == FetchNow) {
			t.Errorf("%v: notes %q, fetches %v", c, d.toFetch.what, kind.fetches)
		}
	}
}
