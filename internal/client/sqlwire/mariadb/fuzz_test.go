package mariadb

import (
	"testing"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/sqlwire/answertest"
)

// FuzzAnswers: whatever a server sends, nothing panics, and either there is an error or
// every promised value can be read.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x01\x02\x00\x09\x00\x00\x02\x00\x00\x07\x00\x00\x00\x02ab\x07\x00\x00\x03\xfe\x00\x00\x02\x00\x00\x00" +
		"\x07\x00\x00\x01\x00\x01\x05\x02\x00\x00\x00"))
	f.Add([]byte("\x0c\x00\x00\x01\xff\xbd\x04#40001bad\x07\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		if len(sent) > 1<<15 {
			return
		}
		m := &conn{Link: answertest.Link(t, sent), cached: true}
		s := sqlwire.NewStatement("select", 0, &statement{columns: []columnKind{signed4, lengthEncoded}})
		b := new(sqlwire.Batch).Call(s).Call(s)
		if m.answers(b) == nil {
			answertest.ReadAll(&m.results)
		}
	})
}
