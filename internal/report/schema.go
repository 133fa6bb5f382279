package report

import (
	"embed"
	"fmt"
	"strings"
)

// schemas are made from the Go types and their comments by TestSchemasAreCurrent,
// because a binary has no source to read the comments from.
//
//go:embed schema/*.json
var schemas embed.FS

// SchemaNames are the documents that Schema describes: what report, compare and
// size write with --json.
func SchemaNames() []string { return []string{"report", "comparison", "sizing"} }

// Schema gives the JSON Schema (draft 2020-12) of one of SchemaNames.
func Schema(name string) ([]byte, error) {
	text, err := schemas.ReadFile("schema/" + name + ".json")
	if err != nil {
		return nil, fmt.Errorf("unknown schema %q; choose one of %s", name, strings.Join(SchemaNames(), ", "))
	}
	return text, nil
}
