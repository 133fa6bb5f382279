package s3wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"time"
)

// signer signs requests by Signature Version 4, without their contents. It keeps what stays
// for a day and for a second, and allocates nothing for a request.
type signer struct {
	access, secret, region string

	day   string    // 20060102
	mac   hash.Hash // keyed with the key derived for the day
	at    int64     // second of stamp
	stamp []byte    // 20060102T150405Z
	text  []byte
	sum   [sha256.Size]byte
}

const (
	stampLayout  = "20060102T150405Z"
	dayLength    = len("20060102")
	unsigned     = "UNSIGNED-PAYLOAD"
	signedNames  = "host;x-amz-content-sha256;x-amz-date"
	algorithm    = "AWS4-HMAC-SHA256"
	scopeService = "/s3/aws4_request"
)

// now sets the moment that requests are signed for.
func (s *signer) now(t time.Time) {
	if t.Unix() == s.at && s.stamp != nil {
		return
	}
	s.at, s.stamp = t.Unix(), t.UTC().AppendFormat(s.stamp[:0], stampLayout)
	if day := s.stamp[:dayLength]; string(day) != s.day {
		s.day = string(day)
		key := []byte("AWS4" + s.secret)
		for _, part := range []string{s.day, s.region, "s3", "aws4_request"} {
			m := hmac.New(sha256.New, key)
			m.Write([]byte(part))
			key = m.Sum(nil)
		}
		s.mac = hmac.New(sha256.New, key)
	}
}

// header appends the lines of a request that sign it: method, path, query and host as they
// are sent.
func (s *signer) header(to []byte, method string, path, query []byte, host string) []byte {
	t := append(append(s.text[:0], method...), '\n')
	t = append(append(t, path...), '\n')
	t = append(append(t, query...), "\nhost:"...)
	t = append(append(t, host...), "\nx-amz-content-sha256:"+unsigned+"\nx-amz-date:"...)
	t = append(append(t, s.stamp...), "\n\n"+signedNames+"\n"+unsigned...)
	s.sum = sha256.Sum256(t)

	t = append(append(t[:0], algorithm+"\n"...), s.stamp...)
	t = append(s.scope(append(t, '\n')), '\n')
	t = hex.AppendEncode(t, s.sum[:])
	s.text = t
	s.mac.Reset()
	s.mac.Write(t)

	to = append(append(to, "x-amz-content-sha256: "+unsigned+"\r\nx-amz-date: "...), s.stamp...)
	to = append(append(to, "\r\nAuthorization: "+algorithm+" Credential="...), s.access...)
	to = append(s.scope(append(to, '/')), ", SignedHeaders="+signedNames+", Signature="...)
	return append(hex.AppendEncode(to, s.mac.Sum(s.sum[:0])), "\r\n"...)
}

// scope is day, region and service.
func (s *signer) scope(to []byte) []byte {
	return append(append(append(append(to, s.day...), '/'), s.region...), scopeService...)
}

// appendEscaped writes a path as it is signed: slashes stay.
func appendEscaped(to []byte, path string) []byte {
	const digits = "0123456789ABCDEF"
	for i := range len(path) {
		c := path[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.', c == '~', c == '/':
			to = append(to, c)
		default:
			to = append(to, '%', digits[c>>4], digits[c&15])
		}
	}
	return to
}
