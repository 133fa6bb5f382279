package main

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// writers are the functions of one package that form sentences.
type writers struct {
	name, about string
	all         []writer
}

// writer is a function, its comment and its formats.
type writer struct {
	name, comment string
	formats       []string
}

// fewWords is how many words a format has at least to be listed: shorter ones are parts of others.
const fewWords = 3

// collect finds the functions in the packages of a directory, in the order of their files.
func collect(dir string) (all []writers, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		p, err := writersOf(path)
		if len(p.all) > 0 {
			all = append(all, p)
		}
		return err
	})
	return all, err
}

func writersOf(dir string) (p writers, err error) {
	paths, err := filepath.Glob(dir + "/*.go")
	p.name = filepath.Base(dir)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return p, err
		}
		if file.Doc != nil {
			p.about = new(doc.Package).Synopsis(file.Doc.Text())
		}
		for _, d := range file.Decls {
			if f, is := d.(*ast.FuncDecl); is {
				if formats := formatsOf(f); len(formats) > 0 {
					p.all = append(p.all, writer{nameOf(f), strings.TrimSpace(f.Doc.Text()), formats})
				}
			}
		}
	}
	return p, err
}

// nameOf is a function's name, of a method with its type.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	if star, is := of.(*ast.StarExpr); is {
		of = star.X
	}
	return of.(*ast.Ident).Name + "." + f.Name.Name
}

// formatsOf are the formats of F in a function, each once.
func formatsOf(f *ast.FuncDecl) (all []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is || !isF(call.Fun) {
			return true
		}
		for _, argument := range call.Args { // the format is the first text of several words
			literal, is := argument.(*ast.BasicLit)
			if !is || literal.Kind != token.STRING {
				continue
			}
			text, err := strconv.Unquote(literal.Value)
			if err == nil && len(strings.Fields(text)) >= fewWords {
				if !slices.Contains(all, text) {
					all = append(all, text)
				}
				break
			}
		}
		return true
	})
	return all
}

// isF reports whether a function is F, here or of package say, or fire, which hands the text of a rule to it.
func isF(fun ast.Expr) bool {
	switch fun := fun.(type) {
	case *ast.SelectorExpr:
		return fun.Sel.Name == "F" || fun.Sel.Name == "fire"
	case *ast.Ident:
		return fun.Name == "F" || fun.Name == "fire"
	}
	return false
}

// text is the section of a package.
func (p writers) text() string {
	var b strings.Builder
	b.WriteString("\n## `" + p.name + "`\n\n" + fill(p.about, "") + "\n")
	for _, w := range p.all {
		b.WriteString("\n### `" + w.name + "`\n\n" + strings.ReplaceAll(fillAll(w.comment), "*", `\*`) + "\n\n")
		for _, f := range w.formats {
			b.WriteString("- " + fill(code(f), "  ") + "\n")
		}
	}
	return b.String()
}

// code marks a format, whose own marks of code need longer ones around it.
func code(format string) string {
	format = strings.TrimSpace(strings.ReplaceAll(format, "\n", " "))
	if !strings.Contains(format, "`") {
		return "`" + format + "`"
	}
	return "`` " + format + " ``"
}

// fillAll fills each paragraph of a comment.
func fillAll(comment string) string {
	paragraphs := strings.Split(comment, "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = fill(p, "")
	}
	return strings.Join(paragraphs, "\n\n")
}

// widest is how long a line may become.
const widest = 120

// fill breaks a text into lines; those after the first begin with the indent.
func fill(text, indent string) string {
	var b strings.Builder
	width := 0
	for _, word := range strings.Fields(text) {
		switch {
		case width == 0:
		case width+1+len(word) > widest:
			b.WriteString("\n" + indent)
			width = len(indent)
		default:
			b.WriteString(" ")
			width++
		}
		b.WriteString(word)
		width += len(word)
	}
	return b.String()
}
