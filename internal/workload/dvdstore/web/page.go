package web

import (
	"bytes"

	"plimsoll/internal/client/webpage"
	"plimsoll/internal/workload/dvdstore/session"
)

// ofShop says that a page which need not have any input is not one of the shop: it has
// none of its links and forms.
func ofShop(p *webpage.Page) error {
	for _, link := range [...]string{"dsbrowse", "dspurchase", "dsgetreviews", "dsnewhelpfulness"} {
		if bytes.Contains(p.Body, []byte(link)) {
			return nil
		}
	}
	return p.Wrong("it is no page of a DVD Store: %s", p.Title())
}

// total returns the amount of an order in hundredths, 0 where the page has none.
func total(p *webpage.Page) int64 {
	_, after, _ := bytes.Cut(p.Body, []byte(`class="total">`))
	n, places := int64(0), -1
	for _, c := range after[:min(len(after), 20)] {
		switch {
		case c == '.' && places < 0:
			places = 0
			continue
		case c < '0' || c > '9' || places == 2:
			if places == 2 {
				return n
			}
			return 0
		}
		n = 10*n + int64(c-'0')
		if places >= 0 {
			places++
		}
	}
	return 0
}

// inDoubt is the error after which nobody knows whether a page has written.
func inDoubt(err error) error {
	if webpage.Untaken(err) {
		return err
	}
	return session.InDoubt(err)
}
