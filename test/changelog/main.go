// Command changelog collects the files of changelog/ into CHANGELOG.md, which it
// writes to standard output.
package main

import (
	"fmt"
	"os"
)

func main() {
	text, err := collect(os.DirFS("changelog"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "collect the changelog:", err)
		os.Exit(1)
	}
	fmt.Print(text)
}
