package webpage_test

import (
	"testing"

	"plimsoll/internal/client/httpwire"
	"plimsoll/internal/client/webpage"
)

// What a page says comes with it, whether it is an answer or an error.
func TestReadGivesWhatThePageSays(t *testing.T) {
	for class, want := range map[string]webpage.Verdict{"taken": webpage.Taken, "refused": webpage.Refused, "soldout": webpage.SoldOut, "error": webpage.Failed} {
		body := []byte(`<html><p class="` + class + `">so it is</p></html>`)
		p, err := webpage.Read("shop", httpwire.Page{Status: 200, Body: body})
		if p.Says != want || (err != nil) != (want == webpage.Failed) || p.Name != "shop" {
			t.Errorf("%s: says %q, %v", class, p.Says, err)
		}
	}
}
