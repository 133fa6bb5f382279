package live

import (
	"slices"
	"sync"
)

// mostKept is how many bytes of pages are kept.
const mostKept = 64 << 20

// pages keeps those that were made for as long as what they are made from is the same; the
// oldest go first where there are too many. Its zero value is empty.
type pages struct {
	mu    sync.Mutex
	kept  []page
	bytes int
}

// page is one that was made.
type page struct {
	name     string // what was asked for
	of       string // identifies its source
	contents []byte
}

// find gives the page of a name, unless it was made from something else.
func (p *pages) find(name, of string) ([]byte, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range p.kept {
		if k.name == name && k.of == of && of != "" {
			return k.contents, true
		}
	}
	return nil, false
}

// keep replaces the page of that name. A page without an identified source is not stored.
func (p *pages) keep(one page) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(slices.IndexFunc(p.kept, func(k page) bool { return k.name == one.name }))
	if one.of == "" || len(one.contents) > mostKept {
		return
	}
	for p.bytes+len(one.contents) > mostKept {
		p.drop(0)
	}
	p.kept, p.bytes = append(p.kept, one), p.bytes+len(one.contents)
}

func (p *pages) drop(at int) {
	if at < 0 {
		return
	}
	p.bytes -= len(p.kept[at].contents)
	p.kept = slices.Delete(p.kept, at, at+1)
}
