package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"plimsoll/internal/host/safefile"
)

// largest bounds a download, in bytes.
const largest = 1 << 30

// Get downloads a file whose content is known beforehand by its SHA-256, in hexadecimal.
// Of anything else nothing is left.
func Get(ctx context.Context, url, sum, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("get %s: %s", url, answer.Status)
	}
	to, err := safefile.Create(path, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, io.LimitReader(answer.Body, largest))
	if err = errors.Join(err, to.Close()); err != nil {
		return fmt.Errorf("get %s: %w", url, err)
	}
	return Verify(path, sum)
}

// Verify removes a file whose SHA-256 is not the one that is known.
func Verify(path, sum string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != sum {
		return errors.Join(fmt.Errorf("what was downloaded is not what this version of Plimsoll knows: its SHA-256 is %s, not %s", got, sum), os.Remove(path))
	}
	return nil
}
