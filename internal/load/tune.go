package load

import (
	"os"
	"runtime"
)

// tune makes this process cheap. One thread of Go code at a time is enough for
// thousands of orders a second and saves the cost of waking threads for work
// that another has done already; GOMAXPROCS in the environment overrides it.
func tune() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
}
