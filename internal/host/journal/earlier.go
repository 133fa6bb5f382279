package journal

import "fmt"

// earlier is the entry about an object that a note stands for. Before databases on existing
// servers were registered, only notes named them.
func (e Entry) earlier() (about Entry, ok bool) {
	acts := map[string]string{"database-claimed": "making", "database-released": "removed"}
	if about.Act, ok = acts[e.Event]; ok {
		d := e.Detail
		about.Object = &Object{Kind: "database", Name: fmt.Sprintf("%q at %s of user %q (%s)", d["database"], d["server"], d["user"], d["engine"])}
	}
	return about, ok
}
