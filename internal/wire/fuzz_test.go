package wire

import (
	"net"
	"os"
	"syscall"
	"testing"
	"unique"
)

// answering gives a link whose other end has sent these bytes and then nothing
// more, ever.
func answering(t *testing.T, sent []byte) *link {
	t.Helper()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	var ends [2]net.Conn
	for i, fd := range pair {
		f := os.NewFile(uintptr(fd), "socket")
		if ends[i], err = net.FileConn(f); err != nil {
			t.Fatal(err)
		}
		f.Close()
		t.Cleanup(func() { ends[i].Close() })
	}
	if _, err := ends[1].Write(sent); err != nil {
		t.Fatal(err)
	}
	if err := ends[1].(*net.UnixConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	l, err := newLink(ends[0])
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// readAll reads every value that the results promise.
func readAll(r *Results) {
	for i := range r.answers {
		for row := range r.Rows(i) {
			for column := range r.answers[i].columns {
				_, _ = r.Int(i, row, column), r.Text(i, row, column)
			}
		}
	}
}

// FuzzPostgresAnswers: whatever a server sends, nothing panics, and either
// there is an error or every promised value can be read.
func FuzzPostgresAnswers(f *testing.F) {
	f.Add([]byte("2\x00\x00\x00\x04D\x00\x00\x00\x13\x00\x02\x00\x00\x00\x04\x00\x00\x00\x07\x00\x00\x00\x01xC\x00\x00\x00\x0dSELECT 1\x00" +
		"2\x00\x00\x00\x04C\x00\x00\x00\x0dUPDATE 1\x00Z\x00\x00\x00\x05I"))
	f.Add([]byte("2\x00\x00\x00\x04E\x00\x00\x00\x12SERROR\x00C40P01\x00\x00Z\x00\x00\x00\x05E"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		if len(sent) > 1<<15 {
			return
		}
		p := &postgres{link: answering(t, sent)}
		s := &Statement{sql: unique.Make("select"), postgres: &postgresStatement{kinds: []uint32{oidInt4, 25}}}
		b := new(Batch).Call(s).Call(s)
		if p.answers(b) == nil {
			readAll(&p.results)
		}
	})
}

// FuzzMariaDBAnswers is the same for MariaDB.
func FuzzMariaDBAnswers(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x01\x02\x00\x09\x00\x00\x02\x00\x00\x07\x00\x00\x00\x02ab\x07\x00\x00\x03\xfe\x00\x00\x02\x00\x00\x00" +
		"\x07\x00\x00\x01\x00\x01\x05\x02\x00\x00\x00"))
	f.Add([]byte("\x0c\x00\x00\x01\xff\xbd\x04#40001bad\x07\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		if len(sent) > 1<<15 {
			return
		}
		m := &mariadb{link: answering(t, sent), cached: true}
		s := &Statement{sql: unique.Make("select"), mariadb: &mariadbStatement{columns: []columnKind{signed4, lengthEncoded}}}
		b := new(Batch).Call(s).Call(s)
		if m.answers(b) == nil {
			readAll(&m.results)
		}
	})
}
