package result

import (
	"bufio"
	"encoding/json"
	"strings"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/text/sanitize"
)

// Finished lists the trials that the journal says came to their end, whether their results are there
// or not, as identifiers of the run's member; known is false where there is no journal to ask. Lines that cannot be read are left out, and
// names are without characters that terminals obey.
func (r *Run) Finished() (ids []string, known bool) {
	f, err := untrusted.Open(r.Dir, JournalFile, untrusted.MostJournal)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	for lines.Scan() {
		var e journal.Entry
		if json.Unmarshal(sanitize.JSON(lines.Bytes()), &e) == nil && e.Event == "trial-finished" && e.Detail["trial"] != "" {
			if id, own := r.Own(e.Detail["trial"]); own {
				ids = append(ids, id)
			}
		}
	}
	return ids, lines.Err() == nil
}

// Own is the identifier that a trial has as the run's member's, if it is one of them.
func (r *Run) Own(whole string) (id string, own bool) {
	variant, rest, _ := strings.Cut(whole, "/")
	rung, _, _ := strings.Cut(rest, "/")
	alone, isAlone := strings.CutPrefix(rung, plan.AlonePrefix)
	if r.member == "" || !isAlone {
		alone = ""
	}
	if name, known := r.names[variant]; known {
		whole = name + "/" + rest
	}
	return whole, r.some == nil || r.some(alone)
}
