package transfer

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
)

// Checksums of the data on a connection.
const (
	NoChecksum = "none"
	MD5        = "md5"
	SHA256     = "sha256"
)

// Checksummer is a stage that passes everything on and computes its checksum.
type Checksummer struct{ hash hash.Hash }

// NewChecksummer returns nil for NoChecksum.
func NewChecksummer(kind string) (*Checksummer, error) {
	switch kind {
	case NoChecksum, "":
		return nil, nil
	case MD5:
		return &Checksummer{md5.New()}, nil // as services do that guard against errors, and not against people
	case SHA256:
		return &Checksummer{sha256.New()}, nil
	}
	return nil, fmt.Errorf("%q is no checksum", kind)
}

// Stages is the stage, or nothing.
func (s *Checksummer) Stages() []Stage {
	if s == nil {
		return nil
	}
	return []Stage{{Checksum, func(in *Input, out *Output) error {
		for {
			b, err := in.Next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			_, _ = s.hash.Write(b) // a hash takes everything
			if err := out.Give(b); err != nil {
				return err
			}
		}
	}}}
}

// Digest returns the digest of everything summed, in hexadecimal; empty for none.
func (s *Checksummer) Digest() string {
	if s == nil {
		return ""
	}
	return hex.EncodeToString(s.hash.Sum(nil))
}

// Digest computes the digest of an item in its stored form.
func (s *Store) Digest(ctx context.Context, name, checksum string) (string, error) {
	summing, err := NewChecksummer(checksum)
	if err != nil {
		return "", err
	}
	_, err = Run(ctx, "", append([]Stage{s.File(name)}, summing.Stages()...))
	return summing.Digest(), err
}
