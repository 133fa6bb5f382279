package postgres

import (
	"testing"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/sqlwire/answertest"
)

// FuzzAnswers: whatever a server sends, nothing panics, and either
// there is an error or every promised value can be read.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte("2\x00\x00\x00\x04D\x00\x00\x00\x13\x00\x02\x00\x00\x00\x04\x00\x00\x00\x07\x00\x00\x00\x01xC\x00\x00\x00\x0dSELECT 1\x00" +
		"2\x00\x00\x00\x04C\x00\x00\x00\x0dUPDATE 1\x00Z\x00\x00\x00\x05I"))
	f.Add([]byte("2\x00\x00\x00\x04E\x00\x00\x00\x12SERROR\x00C40P01\x00\x00Z\x00\x00\x00\x05E"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		if len(sent) > 1<<15 {
			return
		}
		p := &conn{Link: answertest.Link(t, sent)}
		s := sqlwire.NewStatement("select", 0, &statement{kinds: []uint32{oidInt4, 25}})
		b := new(sqlwire.Batch).Call(s).Call(s)
		if p.answers(b) == nil {
			answertest.ReadAll(&p.results)
		}
	})
}
