package study

// merge lays a profile over a study: mappings merge field by field, anything
// else replaces, and a field without a value is taken away. Every node keeps
// the place where it was written.
func merge(base, over *node) *node {
	if base.form != mapping || over.form != mapping || ofAnotherKind(base, over) {
		return over
	}
	out := &node{form: mapping, line: base.line, column: base.column}
	for _, f := range base.fields {
		o := over.field(f.key)
		switch {
		case o == nil:
			out.fields = append(out.fields, f)
		case o.value.form != empty:
			out.fields = append(out.fields, field{f.key, o.line, o.column, merge(f.value, o.value)})
		}
	}
	for _, o := range over.fields {
		if base.field(o.key) == nil {
			out.fields = append(out.fields, o)
		}
	}
	return out
}

// ofAnotherKind reports whether the overlay names another storage class, so
// that the parameters of the first have no meaning for it.
func ofAnotherKind(base, over *node) bool {
	a, b := base.get("class"), over.get("class")
	return a != nil && b != nil && a.text != b.text
}
