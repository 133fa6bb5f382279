package load

import (
	"os"
	"runtime"
)

// threads is how many threads run Go code at once. One carries thousands of
// units of work a second; the second keeps users from waiting for the garbage
// collector and for the reporter, which would lengthen what they measure. More
// would wake each other in vain.
const threads = 2

// tune makes this process cheap; GOMAXPROCS in the environment overrides it.
func tune() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(min(threads, runtime.NumCPU()))
	}
}
