// Command program stands for plimsoll in images for platformtest: it does the
// suite's tasks, and in pods what plimsoll does there.
package main

import (
	"context"
	"fmt"
	"os"

	"plimsoll/internal/conformance/platformtest"
	"plimsoll/internal/platform/kubernetes/pod"
)

func main() {
	platformtest.TaskMain()
	arguments := os.Args[1:]
	if len(arguments) > 0 && arguments[0] == "pod" {
		arguments = arguments[1:]
	}
	if err := pod.Main(context.Background(), arguments, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
