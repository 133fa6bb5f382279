package report

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/result"
)

// SeriesSource gives the time series of a trial. It is asked only for trials
// whose series are drawn.
type SeriesSource func(trialID string) ([]result.Series, error)

// Options are choices for the HTML report.
type Options struct {
	// Hostname keeps the machine's name in the report; it is left out
	// otherwise, because reports are forwarded.
	Hostname bool
	// Series limits how many trials carry time series; 0 is the default, 48.
	Series int
}

//go:embed assets
var assets embed.FS

// HTML writes the report as one self-contained file: style, script and data
// are inside, nothing is fetched, and a content security policy forbids it.
// series may be nil where there are no time series (published results).
func HTML(w io.Writer, a *analysis.Analysis, series SeriesSource, options Options) error {
	if !options.Hostname {
		a = withoutHostname(a)
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if err := writeDocument(out, a, series, options); err != nil {
		return fmt.Errorf("writing the HTML report: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing the HTML report: %w", err)
	}
	return nil
}

// writeDocument writes head, fallback text, data and script in that order:
// the script finds everything above it.
func writeDocument(w *bufio.Writer, a *analysis.Analysis, series SeriesSource, options Options) error {
	style, err := assets.ReadFile("assets/report.css")
	if err != nil {
		return err
	}
	script, err := assets.ReadFile("assets/report.js")
	if err != nil {
		return err
	}
	data, err := marshal(Document{SchemaVersion, a})
	if err != nil {
		return err
	}
	writeHead(w, a, style, script)
	w.WriteString("<body>\n<main id=\"report\"></main>\n<noscript>")
	writeFallback(w, a)
	w.WriteString("</noscript>\n<script type=\"application/json\" id=\"data\">")
	w.Write(data)
	w.WriteString("</script>\n<script type=\"text/plain\" id=\"packed\">")
	if err := writePacked(w, a, series, options); err != nil {
		return err
	}
	w.WriteString("</script>\n<script>")
	w.Write(script)
	_, err = w.WriteString("</script>\n</body>\n</html>\n")
	return err
}

// writeHead writes the document's head. The policy lets only the embedded
// script run and nothing be fetched.
func writeHead(w *bufio.Writer, a *analysis.Analysis, style, script []byte) {
	hash := sha256.Sum256(script)
	policy := "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(hash[:]) + "'"
	title := a.Study.Title
	if title == "" {
		title = a.Study.Name
	}
	fmt.Fprintf(w, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="%s">
<title>%s · Plimsoll</title>
<style>`, policy, html.EscapeString(strings.TrimSpace("Plimsoll "+a.Run.Plimsoll)), html.EscapeString(title))
	w.Write(style)
	w.WriteString("</style>\n</head>\n")
}

// writeFallback writes what a reader without scripts gets: the text report.
func writeFallback(w io.Writer, a *analysis.Analysis) {
	var text strings.Builder
	if err := Terminal(&text, a, 110, false); err == nil {
		fmt.Fprintf(w, "<pre>%s\nThe figures need JavaScript.</pre>", html.EscapeString(text.String()))
	}
}

// packedHead is what is packed beside the series.
type packedHead struct {
	// Tables are the CSV tables for download.
	Tables map[Table]string `json:"tables"`
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
	head := packedHead{Tables: map[Table]string{}, Buckets: maxBuckets, Left: []string{}, Notices: string(notices)}
	for _, table := range Tables() {
		var text strings.Builder
		if err := CSV(&text, a, table); err != nil {
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
	read, err := series(id)
	switch {
	case err != nil:
		return packedTrial{ID: id, Problem: "The time series could not be read: " + err.Error()}
	case len(read) == 0:
		return packedTrial{ID: id, Problem: "No time series were recorded."}
	default:
		return packTrial(id, read)
	}
}
