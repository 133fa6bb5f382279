package result

import (
	"bufio"
	"encoding/json"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/text/sanitize"
)

// Finished lists the trials that the journal says came to their end, whether their results are there
// or not; known is false where there is no journal to ask. Lines that cannot be read are left out, and
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
			ids = append(ids, e.Detail["trial"])
		}
	}
	return ids, lines.Err() == nil
}
