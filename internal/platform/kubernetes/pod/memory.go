package pod

import (
	"os"
	"strconv"
	"strings"
)

// outOfMemoryKills is how many processes of this container the kernel has killed for
// want of memory: oom_kill of memory.events (cgroup v2) or memory.oom_control (v1);
// 0 where neither can be read.
func outOfMemoryKills() int64 {
	for _, path := range []string{"/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"} {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if count, ok := strings.CutPrefix(line, "oom_kill "); ok {
				n, _ := strconv.ParseInt(strings.TrimSpace(count), 10, 64)
				return n
			}
		}
	}
	return 0
}
