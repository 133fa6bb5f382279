package report

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/report/tables"
)

// packedHead is the packed data other than the series.
type packedHead struct {
	// Tables are the CSV tables for download.
	Tables map[string]string `json:"tables"`
	// Sections are tables by their ids, which are shown when someone opens them.
	Sections map[string]Section `json:"sections"`
	// Buckets is the largest number of points of a series.
	Buckets int `json:"buckets"`
	// Left lists trials whose series were left out.
	Left []string `json:"left"`
	// Notices are the licences of the libraries in the page.
	Notices string `json:"notices"`
}

// writePacked writes tables and time series, gzipped and in base64; the page
// unpacks them after the first screen is drawn. It is JSON by lines: a
// packedHead and then a packedTrial a line, so that one trial at a time is in
// memory.
func writePacked(w io.Writer, a *analysis.Analysis, series SeriesSource, options Options) error {
	text := base64.NewEncoder(base64.StdEncoding, w)
	packed := gzip.NewWriter(text)
	if err := writePackedLines(packed, a, series, options); err != nil {
		return err
	}
	if err := packed.Close(); err != nil {
		return err
	}
	return text.Close()
}

func writePackedLines(w io.Writer, a *analysis.Analysis, series SeriesSource, options Options) error {
	var drawn []analysis.TrialInfo
	if series != nil {
		drawn = drawnTrials(a, options.Series)
	}
	head, err := newPackedHead(a, drawn, series != nil)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(w)
	if err := encoder.Encode(head); err != nil {
		return err
	}
	for _, t := range drawn {
		if err := encoder.Encode(readTrial(t.ID, series)); err != nil {
			return err
		}
	}
	return nil
}

// newPackedHead makes the tables and lists what was left out.
func newPackedHead(a *analysis.Analysis, drawn []analysis.TrialInfo, hasSeries bool) (packedHead, error) {
	notices, err := assets.ReadFile("assets/THIRD-PARTY.txt")
	if err != nil {
		return packedHead{}, err
	}
	head := packedHead{Tables: map[string]string{}, Sections: numbersOf(a), Buckets: maxBuckets, Left: []string{}, Notices: string(notices)}
	for _, table := range tables.CSVNames() {
		if table == tables.Against && len(a.Against) == 0 {
			continue
		}
		var text strings.Builder
		if err := tables.CSV(&text, a, table); err != nil {
			return head, err
		}
		head.Tables[table] = text.String()
	}
	kept := map[string]bool{}
	for _, t := range drawn {
		kept[t.ID] = true
	}
	for _, t := range a.Trials {
		if hasSeries && !kept[t.ID] {
			head.Left = append(head.Left, t.ID)
		}
	}
	return head, nil
}

// readTrial packs one trial; a trial that cannot be read says so in the report
// instead of costing it.
func readTrial(id string, series SeriesSource) packedTrial {
	packed, err := packTrial(id, series(id))
	switch {
	case err != nil:
		return packedTrial{ID: id, Problem: "The time series could not be read: " + err.Error()}
	case len(packed.Series) == 0:
		return packedTrial{ID: id, Problem: "No time series were recorded."}
	default:
		return packed
	}
}
