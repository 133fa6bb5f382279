package webpage

import "strconv"

// Request is the path and query of a page. One that is kept allocates nothing
// once it has grown.
type Request struct {
	Page      string // its name
	Target    []byte // path and query, escaped
	separator byte   // before the next parameter
	value     []byte // of a parameter, before it is escaped
}

// Begin starts a request of the page NAME.php below a path that ends in a slash.
func (r *Request) Begin(base, page string) *Request {
	r.Page, r.separator = page, '?'
	r.Target = append(append(append(r.Target[:0], base...), page...), ".php"...)
	return r
}

// parameter begins one; names are written as they are.
func (r *Request) parameter(name string) {
	r.Target = append(append(append(r.Target, r.separator), name...), '=')
	r.separator = '&'
}

// Text adds a parameter.
func (r *Request) Text(name, value string) *Request {
	r.parameter(name)
	r.Target = appendEscaped(r.Target, value)
	return r
}

// Choice is text, or empty where it was not chosen: the DVD Store expects
// the parameter all the same.
func (r *Request) Choice(name, value string, chosen bool) *Request {
	if !chosen {
		value = ""
	}
	return r.Text(name, value)
}

// Number adds a parameter.
func (r *Request) Number(name string, n int64) *Request {
	r.parameter(name)
	r.Target = strconv.AppendInt(r.Target, n, 10)
	return r
}

// Numbered is a text made of a prefix and a number: user17.
func (r *Request) Numbered(name, prefix string, n int64) *Request {
	r.Text(name, prefix)
	r.Target = strconv.AppendInt(r.Target, n, 10)
	return r
}

// Made is the text that f appends to the slice it is given.
func (r *Request) Made(name string, f func([]byte) []byte) *Request {
	r.parameter(name)
	r.value = f(r.value[:0])
	r.Target = appendEscaped(r.Target, r.value)
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
