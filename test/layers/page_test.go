package layers

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pageFolders are the folders below web/src. A file imports files of its own folder and of
// folders that stand before its own here.
var pageFolders = []string{"read", "chart", "figure", "page"}

// imported finds the files of ours that a file of TypeScript imports or exports again.
var imported = regexp.MustCompile(`(?:from|import)\s*\(?\s*"(\.[^"]*)"`)

func TestFoldersOfThePageLookDownAlone(t *testing.T) {
	const root = "../../web/src"
	sources(t, root, ".ts", func(file string) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, why := range upward(filepath.ToSlash(name), string(text)) {
			t.Error("web/src/" + why)
		}
	})
}

// upward returns the problems with the place of a file below web/src, or with its imports.
func upward(name, text string) (wrong []string) {
	from := slices.Index(pageFolders, path.Dir(name))
	if from < 0 {
		return []string{name + " is in none of the folders " + strings.Join(pageFolders, ", ") + ": move it into one"}
	}
	for _, match := range imported.FindAllStringSubmatch(text, -1) {
		other := path.Join(path.Dir(name), match[1])
		switch to := slices.Index(pageFolders, path.Dir(other)); {
		case to < 0:
			wrong = append(wrong, name+" imports "+other+", which is in none of the folders")
		case to > from:
			wrong = append(wrong, name+" imports "+other+": "+pageFolders[to]+" stands above "+pageFolders[from])
		}
	}
	return wrong
}

func TestUpward(t *testing.T) {
	for _, c := range []struct {
		name, text string
		wrong      int
	}{
		{"chart/axes.ts", `import { a } from "./place.ts";` + "\n" + `import type { B } from "../read/model.ts";`, 0},
		{"read/format.ts", `import { a } from "../chart/axes.ts";`, 1},
		{"read/format.ts", `import type { A } from "../page/main.ts";`, 1},
		{"figure/ladder.ts", "import {\n  a,\n} from \"../page/card.ts\";\nexport { b } from \"../page/head.ts\";", 2},
		{"figure/ladder.ts", `import "../page/report.css";`, 1},
		{"figure/ladder.ts", `const late = import("../page/main.ts");`, 1},
		{"page/main.ts", `import "./report.css";` + "\n" + `import { a } from "../figure/ladder.ts";` + "\n" + `import * as Plot from "@observablehq/plot";`, 0},
		{"page/main.ts", `import { a } from "../other.ts";`, 1},
		{"other.ts", ``, 1},
		{"figure/deeper/ladder.ts", ``, 1},
	} {
		if wrong := upward(c.name, c.text); len(wrong) != c.wrong {
			t.Errorf("%s with %s: %q", c.name, c.text, wrong)
		}
	}
}
