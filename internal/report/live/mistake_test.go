package live

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"plimsoll/internal/analysis"
	"plimsoll/internal/host/caught"
	"plimsoll/internal/report"
)

// A panic while a request is answered is an answer that says so, and the next is answered.
func TestAPanicOfARequestIsAnswered(t *testing.T) {
	broken := true
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		var none []int
		if broken {
			_ = none[0]
		}
		w.WriteHeader(http.StatusNoContent)
	})
	for _, want := range []int{http.StatusInternalServerError, http.StatusNoContent} {
		w := httptest.NewRecorder()
		answered(h, w, httptest.NewRequest(http.MethodGet, "/runs/x/report.html", nil))
		if w.Code != want || broken != strings.Contains(w.Body.String(), "answer /runs/x/report.html: a mistake in Plimsoll itself") {
			t.Errorf("%d: %s", w.Code, w.Body)
		}
		broken = false
	}
}

// Figures of a live page that end in a panic do not end the run that they are of.
func TestAPanicOfFiguresDoesNotEndTheRun(t *testing.T) {
	l := NewLive(RunInfo{Run: "x"}, func() (*analysis.Analysis, report.SeriesSource, error) { panic("a mistake") })
	var mistake *caught.Panic
	if _, err := l.contentsNow(); !errors.As(err, &mistake) || !strings.Contains(err.Error(), "run x") {
		t.Error(err)
	}
}
