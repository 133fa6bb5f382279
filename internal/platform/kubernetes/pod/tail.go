package pod

import (
	"io"
	"strings"
	"sync"
)

// tailLines and tailBytes bound what of a log goes into a status.
const (
	tailLines = 20
	tailBytes = 4 << 10
)

// tail passes a log on and keeps its end.
type tail struct {
	to   io.Writer
	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	t.kept = append(t.kept, p[max(0, len(p)-tailBytes):]...)
	t.kept = t.kept[max(0, len(t.kept)-tailBytes):]
	t.mu.Unlock()
	return t.to.Write(p)
}

// String gives the last whole lines.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.kept)), "\n")
	if len(t.kept) == tailBytes && len(lines) > 1 {
		lines = lines[1:]
	}
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}
