package load

import (
	"fmt"
	"path/filepath"

	"plimsoll/internal/workload"
)

// AckPath is the file that holds an instance's acknowledgements in dir.
func AckPath(dir string, instance int) string {
	return filepath.Join(dir, fmt.Sprintf("instance-%03d.acks", instance))
}

// ReadAcks reads an acknowledgement file in the form that Workload.Audit
// takes.
func ReadAcks(path string) func(yield func(workload.Ack) bool) error {
	return func(yield func(workload.Ack) bool) error {
		return fmt.Errorf("read %s: not possible yet", path)
	}
}
