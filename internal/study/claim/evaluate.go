package claim

import (
	"fmt"
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
)

// evaluator walks a predicate's tree, and lists its comparisons.
type evaluator struct {
	source Source
	found  []Comparison
}

// wrong is an error about a part of a predicate.
func wrong(n ast.Node, format string, args ...any) error {
	return &file.Error{Location: n.Location(), Message: fmt.Sprintf(format, args...)}
}

// outcome evaluates a comparison, or several that are joined.
func (e *evaluator) outcome(n ast.Node) (Outcome, error) {
	b, is := n.(*ast.BinaryNode)
	if !is {
		return "", wrong(n, "a claim compares figures with >=, >, <= or <, joined by and, or")
	}
	switch b.Operator {
	case ">=", ">", "<=", "<":
		left, right, err := e.both(b)
		if err != nil {
			return "", err
		}
		c := compare(left, b.Operator, right)
		e.found = append(e.found, c)
		return c.Outcome, nil
	case "and", "&&", "or", "||":
		left, err := e.outcome(b.Left)
		if err != nil {
			return "", err
		}
		right, err := e.outcome(b.Right)
		if err != nil {
			return "", err
		}
		if b.Operator == "and" || b.Operator == "&&" {
			return both(left, right), nil
		}
		return either(left, right), nil
	}
	return "", wrong(n, "a claim compares figures with >=, >, <= or <, not with %s", b.Operator)
}

// both evaluates the figures on both sides of an operator.
func (e *evaluator) both(b *ast.BinaryNode) (left, right Figure, err error) {
	if left, err = e.figure(b.Left); err == nil {
		right, err = e.figure(b.Right)
	}
	return left, right, err
}

// figure evaluates a number, a function or arithmetic.
func (e *evaluator) figure(n ast.Node) (Figure, error) {
	switch v := n.(type) {
	case *ast.IntegerNode:
		return Exactly(float64(v.Value)), nil
	case *ast.FloatNode:
		return Exactly(v.Value), nil
	case *ast.UnaryNode:
		f, err := e.figure(v.Node)
		if err != nil || v.Operator == "+" {
			return f, err
		}
		if v.Operator == "-" {
			return minus(Exactly(0), f), nil
		}
	case *ast.BinaryNode:
		if do := operators[v.Operator]; do != nil {
			left, right, err := e.both(v)
			if err != nil {
				return Figure{}, err
			}
			return do(left, right), nil
		}
	case *ast.CallNode:
		if name, is := v.Callee.(*ast.IdentifierNode); is {
			return e.call(n, name.Value, v.Arguments)
		}
	case *ast.BuiltinNode: // a function that the grammar has under one of our names
		return e.call(n, v.Name, v.Arguments)
	case *ast.IdentifierNode:
		return Figure{}, wrong(n, "unknown name %s", v.Value)
	}
	return Figure{}, wrong(n, "a figure is a number, a function such as throughput(\"ssd\", 8), or several with +, -, * and /")
}

// units are functions that turn a number into one in the units of figures.
var units = map[string]float64{"ms": 1e3, "percent": 100}

// call evaluates a function.
func (e *evaluator) call(n ast.Node, name string, arguments []ast.Node) (Figure, error) {
	if by, is := units[name]; is && len(arguments) == 1 {
		f, err := e.figure(arguments[0])
		return divided(f, Exactly(by)), err
	}
	all := Metrics()
	i := slices.IndexFunc(all, func(m Metric) bool { return m.Name == name })
	if i < 0 {
		return Figure{}, wrong(n, "unknown function %s", name)
	}
	takes := `the name of a variant, such as ` + name + `("ssd")`
	if all[i].Rung {
		takes = `the name of a variant and, if need be, a number of instances, such as ` + name + `("ssd", 8)`
	}
	if len(arguments) == 0 || len(arguments) > 2 || len(arguments) == 2 && !all[i].Rung {
		return Figure{}, wrong(n, "%s takes %s", name, takes)
	}
	variant, is := arguments[0].(*ast.StringNode)
	if !is {
		return Figure{}, wrong(arguments[0], "%s takes %s", name, takes)
	}
	at := 0
	if len(arguments) == 2 {
		count, is := arguments[1].(*ast.IntegerNode)
		if !is || count.Value < 1 {
			return Figure{}, wrong(arguments[1], "%s takes %s", name, takes)
		}
		at = count.Value
	}
	return e.source.Figure(name, variant.Value, at), nil
}
