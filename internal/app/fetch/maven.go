package fetch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrNoMaven means that the Maven client is missing.
var ErrNoMaven = errors.New("the Maven client mvn is not installed")

// Maven gets one artifact (group:artifact:version) with the user's own Maven
// client, its settings and mirrors, and gives the path of the file in into. Maven refuses
// a file that is not the one whose checksum the repository has.
func Maven(ctx context.Context, artifact, into string) (string, error) {
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return "", ErrNoMaven
	}
	cmd := exec.CommandContext(ctx, mvn, "--batch-mode", "--quiet", "--strict-checksums", "dependency:copy",
		"-Dartifact="+artifact, "-DoutputDirectory="+into)
	cmd.Dir = into // away from any project of the user's
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("mvn dependency:copy -Dartifact=%s: %w: %s", artifact, err, firstError(string(out)))
	}
	return onlyFile(into, "mvn", artifact)
}

// firstError picks the line that tells from Maven's long answer.
func firstError(out string) string {
	for line := range strings.Lines(out) {
		if _, text, ok := strings.Cut(line, "[ERROR] "); ok {
			return strings.TrimSpace(text)
		}
	}
	return strings.TrimSpace(out)
}

// onlyFile is the single file in a directory that a program has downloaded to.
func onlyFile(dir, program, wanted string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	if len(entries) != 1 {
		return "", fmt.Errorf("%s left %d files for %s where one was expected", program, len(entries), wanted)
	}
	return filepath.Join(dir, entries[0].Name()), nil
}
