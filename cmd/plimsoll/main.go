// Command plimsoll finds the load line of storage under stateful applications.
package main

import (
	"os"

	"plimsoll/internal/cli"
)

func main() {
	os.Exit(cli.Main(cli.Process(), os.Args[1:]))
}
