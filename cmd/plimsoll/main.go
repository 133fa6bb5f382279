// Command plimsoll finds the load line of storage under stateful applications.
package main

import (
	"os"

	"plimsoll/internal/cli"
	"plimsoll/internal/cli/command"
)

func main() {
	os.Exit(cli.Main(command.Process(), os.Args[1:]))
}
