// Package report shows an analysis to people and programs: as text for a
// terminal, as Markdown, CSV and JSON, and as one self-contained HTML file
// that works offline. It computes nothing that decides anything; it takes an
// *analysis.Analysis (and, for the HTML, the time series of trials) and gives
// bytes. The HTML's script and style are built from web/ and embedded from
// assets/.
package report
