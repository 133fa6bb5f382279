// Package patience repeats requests that a server puts off, with growing pauses. It is for
// work that is not measured: making, loading, auditing and removing. A measured request is
// sent once and its outcome counted.
package patience

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"
)

// Limit is how long a request is repeated at most, where nobody says another time.
const Limit = time.Minute

// Pauses between two tries: the first, and the longest unless the server asks for more.
const (
	shortest = 100 * time.Millisecond
	longest  = 500 * time.Millisecond
)

// Try sends a request, and repeats it as long as again reports that its error is temporary.
// It returns the error of the last attempt.
func Try(ctx context.Context, within time.Duration, request func() error, again func(error) bool) error {
	p := begin(ctx, within)
	for {
		err := request()
		if err == nil || !again(err) || !p.wait(ctx, 0) {
			return err
		}
	}
}

// PutOff reports whether an answer of a status says that the server cannot do it now, rather
// than that it never will.
func PutOff(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// pauses are those between the tries of one request.
type pauses struct {
	next time.Duration
	end  time.Time
}

func begin(ctx context.Context, within time.Duration) *pauses {
	end := time.Now().Add(within)
	if limit, limited := ctx.Deadline(); limited && limit.Before(end) {
		end = limit
	}
	return &pauses{next: shortest, end: end}
}

// wait pauses before another try, for as long as the server asks at least. It reports whether
// there is time for one: a pause that would end too late is not begun.
func (p *pauses) wait(ctx context.Context, asked time.Duration) bool {
	pause := max(asked, p.next/2+rand.N(p.next/2)) // clients that were put off together do not come back together
	p.next = min(2*p.next, longest)
	if time.Now().Add(pause).After(p.end) {
		return false
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
