package phpfpm

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
)

// Gauge implements app.Meter: a worker runs one page at a time.
func (Engine) Gauge() describe.Gauge {
	return describe.Gauge{Name: "workers", Setting: childrenSetting}
}

// Read asks for the status of the pool on a socket separate from the pages'. Requests wait
// until a worker accepts their connection; PHP-FPM counts them on TCP, and the kernel on a
// unix socket.
func (Engine) Read(ctx context.Context, e endpoint.Endpoint) (describe.Reading, error) {
	answer, err := get(ctx, "unix", path.Join(path.Dir(endpoint.PagesOf(e).Content), path.Base(statusFile)), statusPath, "json")
	if err != nil {
		return describe.Reading{}, fmt.Errorf("ask PHP-FPM for its status: %w", err)
	}
	var status struct {
		Queue  *float64 `json:"listen queue"`
		Active *float64 `json:"active processes"`
		Total  *float64 `json:"total processes"`
	}
	_, body, _ := strings.Cut(answer, "\r\n\r\n")
	if err := json.Unmarshal([]byte(body), &status); err != nil || status.Queue == nil || status.Active == nil || status.Total == nil {
		return describe.Reading{}, fmt.Errorf("ask PHP-FPM for its status: it answered %q", answer)
	}
	read := describe.Reading{Busy: *status.Active, Capacity: *status.Total, Waiting: *status.Queue}
	if e.Network == "unix" && path.Base(e.Address) == socketFile {
		read.Waiting, err = queued(e.Address)
	}
	return read, err
}
