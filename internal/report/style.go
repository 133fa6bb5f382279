package report

import "plimsoll/internal/analysis/trust"

// ANSI styles of the terminal output.
const (
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	cyan   = "\x1b[36m"
	reset  = "\x1b[0m"
)

// painter writes styled text, or plain text when colours are off.
type painter struct{ colour bool }

// paint wraps text in a style.
func (p painter) paint(style, text string) string {
	if !p.colour || style == "" || text == "" {
		return text
	}
	return style + text + reset
}

// gradeStyle colours a grade: A and B are good, C is doubtful.
func gradeStyle(grade string) string {
	switch grade {
	case "A", "B":
		return bold + green
	case "C":
		return bold + yellow
	default:
		return bold + red
	}
}

// severityStyle colours a warning.
func severityStyle(severity trust.Severity) string {
	switch severity {
	case trust.Serious:
		return red
	case trust.Caution:
		return yellow
	default:
		return dim
	}
}
