package say

import (
	"math"
	"strings"

	"plimsoll/internal/analysis/iopath"
	"plimsoll/internal/text/words"
)

// pathText says how requests clearly change on their way to the disks; empty where none do.
func pathText(moves []iopath.Move) string {
	var clauses []string
	for _, m := range moves {
		clauses = append(clauses, moveText(m))
	}
	if len(clauses) == 0 {
		return ""
	}
	return words.Capital(strings.Join(clauses, "; ")) + "."
}

// moveText is a clause: "writes of 16 KiB at random arrive at the disks as 63 KiB, 71 % sequential".
//
// Needs: Layers that clearly differ in each repetition; else of unknown work.
func moveText(m iopath.Move) string {
	text := F("writes of %s", RequestSize(m.From.Bytes))
	if m.Reads {
		text = F("reads of %s", RequestSize(m.From.Bytes))
	}
	if !m.Known {
		text += F(", as they are handed to the kernel,")
	}
	if m.From.Sequential != nil {
		text += orderText(*m.From.Sequential)
	}
	text += F(" arrive at the disks as %s", RequestSize(m.To.Bytes))
	if m.To.Sequential != nil {
		text += F(", %s sequential", words.Percent(*m.To.Sequential))
	}
	return text
}

// orderText is the order in which an application makes its requests.
func orderText(sequential float64) string {
	switch sequential {
	case 0:
		return F(" at random")
	case 1:
		return F(" in sequence")
	}
	return F(", %s sequential,", words.Percent(sequential))
}

// RequestSize writes the mean size of requests: "16 KiB".
func RequestSize(bytes float64) string { return words.Binary(int64(math.Round(bytes))) }

// LayerText names a layer that requests pass.
//
// Needs: A row of the table of requests by layer.
func LayerText(l iopath.Layer) string {
	switch l.Kind {
	case iopath.Application:
		return F("made by the workload")
	case iopath.Calls:
		return F("calls of %s", l.Of)
	case iopath.Caused:
		return F("%s, past the page cache", l.Of)
	}
	text := F("at the disks")
	if l.Kind == iopath.PassedOn {
		text = F("handed to the disks")
	}
	if l.Of != "" {
		text += " (" + l.Of + ")"
	}
	return text
}
