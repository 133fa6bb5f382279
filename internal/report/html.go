package report

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"iter"
	"strings"

	"plimsoll/internal/analysis"
	"plimsoll/internal/analysis/compare"
	"plimsoll/internal/analysis/say/warning"
	"plimsoll/internal/result"
)

// SeriesSource iterates the time series of a trial, up to an error, in the same order each
// time. It is asked only for trials whose series are drawn.
type SeriesSource func(trialID string) iter.Seq2[result.Series, error]

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
// series may be nil where there are no time series; published results have none.
func HTML(w io.Writer, a *analysis.Analysis, series SeriesSource, options Options) error {
	if !options.Hostname {
		a = withoutHostname(a)
	}
	if a.Run.Reference != "" {
		series = nil // none were published
	}
	title := a.Study.Title
	if title == "" {
		title = a.Study.Name
	}
	return document{
		title:   title,
		version: a.Run.Plimsoll,
		data:    pageOf(a),
		text:    func(w io.Writer) error { return Terminal(w, a, fallbackWidth, false) },
		packed:  func(w io.Writer) error { return writePacked(w, a, series, options) },
	}.write(w)
}

// pageOf is the data of the page of an analysis.
func pageOf(a *analysis.Analysis) Document {
	return Document{SchemaVersion, forPage(a), decisionOf(bestFirst(a)), sectionsOf(a), gradeMeanings, warning.Groups(a.Warnings)}
}

// Contents writes what HTML embeds for its script, as two lines: the data as JSON,
// and the packed tables and time series.
func Contents(w io.Writer, a *analysis.Analysis, series SeriesSource, options Options) error {
	if !options.Hostname {
		a = withoutHostname(a)
	}
	data, err := marshal(pageOf(a))
	if err != nil {
		return fmt.Errorf("writing the contents of a report: %w", err)
	}
	if err := writeStrings(w, string(data), "\n"); err != nil {
		return err
	}
	return writePacked(w, a, series, options)
}

// ComparisonHTML writes a comparison as one self-contained file, as HTML does
// a report.
func ComparisonHTML(w io.Writer, c *compare.Comparison) error {
	return document{
		title: c.A + " and " + c.B + " compared",
		data:  ComparisonDocument{SchemaVersion, c, warning.Groups(c.Warnings)},
		text:  func(w io.Writer) error { return Comparison(w, c, fallbackWidth) },
	}.write(w)
}

// ComparisonDocument is the data in the page of a comparison.
type ComparisonDocument struct {
	Schema     int                 `json:"schema"`
	Comparison *compare.Comparison `json:"comparison"`
	Warnings   []warning.Group     `json:"warnings,omitempty"`
}

// Shell writes a page that loads its contents from its own server only. page says which
// page the script builds.
func Shell(w io.Writer, title string, page any) error {
	return document{
		title: title, connects: true, data: page,
		text: func(w io.Writer) error { return writeStrings(w, title) },
	}.write(w)
}

// fallbackWidth is the width of the text for readers without scripts.
const fallbackWidth = 110

// document is one HTML file.
type document struct {
	title, version string
	data           any                   // for the script, as JSON
	text           func(io.Writer) error // for readers without scripts
	packed         func(io.Writer) error // data to unpack later; may be nil
	connects       bool                  // the script may ask the server that the page came from
}

// write writes head, text, data and script in that order: the script finds
// everything above it.
func (d document) write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 64<<10)
	err := d.parts(out)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("writing the HTML report: %w", err)
	}
	return nil
}

// parts writes the parts of the file one after the other.
func (d document) parts(w io.Writer) error {
	script, err := assets.ReadFile("assets/report.js")
	if err != nil {
		return err
	}
	for _, part := range []func(io.Writer) error{
		func(w io.Writer) error { return d.head(w, script) },
		d.fallback,
		d.embedded,
	} {
		if err := part(w); err != nil {
			return err
		}
	}
	return writeStrings(w, "<script>", string(script), "</script>\n</body>\n</html>\n")
}

// head writes the document's head. The policy lets only the embedded script
// run and nothing be fetched.
func (d document) head(w io.Writer, script []byte) error {
	style, err := assets.ReadFile("assets/report.css")
	if err != nil {
		return err
	}
	hash := sha256.Sum256(script)
	sources := "default-src 'none'; "
	if d.connects {
		sources += "connect-src 'self'; "
	}
	policy := sources + "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(hash[:]) + "'"
	generator := strings.TrimSpace("Plimsoll " + d.version)
	return writeStrings(w, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="`, policy, `">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="`, html.EscapeString(generator), `">
<title>`, html.EscapeString(d.title), ` · Plimsoll</title>
<style>`, string(style), "</style>\n</head>\n<body>\n<main id=\"report\"></main>\n")
}

// fallback writes what a reader without scripts gets: the text report.
func (d document) fallback(w io.Writer) error {
	var text strings.Builder
	if err := d.text(&text); err != nil {
		return err
	}
	return writeStrings(w, "<noscript><pre>", html.EscapeString(text.String()), "\nThe figures need JavaScript.</pre></noscript>\n")
}

// embedded writes the data that the script reads. JSON by encoding/json has no
// "<", so that nothing in it can end the element.
func (d document) embedded(w io.Writer) error {
	data, err := marshal(d.data)
	if err != nil {
		return err
	}
	if err := writeStrings(w, `<script type="application/json" id="data">`, string(data), `</script>`+"\n"+`<script type="text/plain" id="packed">`); err != nil {
		return err
	}
	if d.packed != nil {
		if err := d.packed(w); err != nil {
			return err
		}
	}
	return writeStrings(w, "</script>\n")
}

// writeStrings writes texts one after the other.
func writeStrings(w io.Writer, texts ...string) error {
	for _, text := range texts {
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
	}
	return nil
}
