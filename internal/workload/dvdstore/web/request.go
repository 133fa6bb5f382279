package web

import "strconv"

// request is the path and query of a page. One that is kept allocates nothing
// once it has grown.
type request struct {
	page      string
	target    []byte
	separator byte   // before the next parameter
	value     []byte // of a parameter, before it is escaped
}

func (r *request) begin(base, page string) *request {
	r.page, r.separator = page, '?'
	r.target = append(append(append(r.target[:0], base...), page...), ".php"...)
	return r
}

// parameter begins one; names are written as they are.
func (r *request) parameter(name string) {
	r.target = append(append(append(r.target, r.separator), name...), '=')
	r.separator = '&'
}

func (r *request) text(name, value string) *request {
	r.parameter(name)
	r.target = appendEscaped(r.target, value)
	return r
}

// choice is text, or empty where it was not chosen: the DVD Store expects
// the parameter all the same.
func (r *request) choice(name, value string, chosen bool) *request {
	if !chosen {
		value = ""
	}
	return r.text(name, value)
}

func (r *request) number(name string, n int64) *request {
	r.parameter(name)
	r.target = strconv.AppendInt(r.target, n, 10)
	return r
}

// numbered is a text made of a prefix and a number: user17.
func (r *request) numbered(name, prefix string, n int64) *request {
	r.text(name, prefix)
	r.target = strconv.AppendInt(r.target, n, 10)
	return r
}

// made is the text that f appends to the slice it is given.
func (r *request) made(name string, f func([]byte) []byte) *request {
	r.parameter(name)
	r.value = f(r.value[:0])
	r.target = appendEscaped(r.target, r.value)
	return r
}

// appendEscaped escapes all but the unreserved characters of RFC 3986; a space
// is a plus, as in forms.
func appendEscaped[T string | []byte](dst []byte, text T) []byte {
	const digits = "0123456789ABCDEF"
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~':
			dst = append(dst, c)
		case c == ' ':
			dst = append(dst, '+')
		default:
			dst = append(dst, '%', digits[c>>4], digits[c&15])
		}
	}
	return dst
}
