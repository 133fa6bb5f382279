package sanitize

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// plain is what the characters that this program writes by itself become where only
// ASCII can be shown. Blocks and signs keep their width, so that tables stay straight.
var plain = map[rune]string{
	'≤': "<=", '≥': ">=", '×': "x", '−': "-", '–': "-", '±': "+-", '·': "-", '•': "*", '→': ">", '…': "...",
	'“': `"`, '”': `"`, '‘': "'", '’': "'", '━': "-", '─': "-", '│': "|", '█': "#", '░': ".", '⦵': "=", '✓': "v", '✗': "x",
	'µ': "u", 'μ': "u", 'σ': "sigma", 'κ': "kappa", 'τ': "tau", 'δ': "delta", '√': "sqrt", '²': "2",
	'\u00a0': " ", '\u202f': " ", '\u2009': " ",
}

// ToASCII writes a text in ASCII alone. It spells out the program's own characters and
// escapes all others, as \u00e9.
func ToASCII(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		b.WriteString(inASCII(r))
	}
	return b.String()
}

func inASCII(r rune) string {
	if r < utf8.RuneSelf {
		return string(r)
	}
	if text, ok := plain[r]; ok {
		return text
	}
	return escapeBeyond(r)
}

// escapeBeyond is the escape of a character as JSON has it: of one that 16 bits do not
// hold, two surrogates.
func escapeBeyond(r rune) string {
	if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
		return escape(high) + escape(low)
	}
	return escape(r)
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// ASCII passes text on to w as ToASCII writes it; bytes that are no UTF-8 become \x and
// two digits. A write may end within a character; the rest of it comes with the next.
func ASCII(w io.Writer) io.Writer { return &asciiWriter{w: w, written: inASCII} }

// ASCIIJSON is ASCII for JSON text: characters beyond ASCII become the escapes that JSON
// has for them, so that it reads back to the same value.
func ASCIIJSON(w io.Writer) io.Writer { return &asciiWriter{w: w, written: inASCIIJSON} }

func inASCIIJSON(r rune) string {
	if r < utf8.RuneSelf {
		return string(r)
	}
	return escapeBeyond(r)
}

type asciiWriter struct {
	w       io.Writer
	written func(rune) string
	held    []byte // the beginning of a character
}

// Write implements io.Writer.
func (a *asciiWriter) Write(p []byte) (int, error) {
	text := append(a.held, p...)
	var out bytes.Buffer
	for len(text) > 0 && utf8.FullRune(text) {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&out, `\x%02x`, text[0])
		} else {
			out.WriteString(a.written(r))
		}
		text = text[size:]
	}
	a.held = bytes.Clone(text)
	if _, err := a.w.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}
