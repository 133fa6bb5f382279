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

// Checksums of what goes over a connection.
const (
	NoChecksum = "none"
	MD5        = "md5"
	SHA256     = "sha256"
)

// Summing is a stage that passes everything on and adds it up.
type Summing struct{ hash hash.Hash }

// NewSumming returns none for NoChecksum.
func NewSumming(kind string) (*Summing, error) {
	switch kind {
	case NoChecksum, "":
		return nil, nil
	case MD5:
		return &Summing{md5.New()}, nil // as services do that guard against errors, and not against people
	case SHA256:
		return &Summing{sha256.New()}, nil
	}
	return nil, fmt.Errorf("%q is no checksum", kind)
}

// Stages is the stage, or nothing.
func (s *Summing) Stages() []Stage {
	if s == nil {
		return nil
	}
	return []Stage{{Checksum, func(in *In, out *Out) error {
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
func (s *Summing) Digest() string {
	if s == nil {
		return ""
	}
	return hex.EncodeToString(s.hash.Sum(nil))
}

// Digest computes the digest of an item in its stored form.
func (s *Store) Digest(ctx context.Context, name, checksum string) (string, error) {
	summing, err := NewSumming(checksum)
	if err != nil {
		return "", err
	}
	_, err = Run(ctx, "", append([]Stage{s.File(name)}, summing.Stages()...))
	return summing.Digest(), err
}
