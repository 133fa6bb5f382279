package fetch

import (
	"fmt"
	"strings"
)

// Central is the repository in which Maven's artifacts are public.
const Central = "https://repo1.maven.org/maven2"

// Artifact is one file of a Maven repository.
type Artifact struct {
	Group   string // io.trino
	Name    string // trino-server
	Version string // 476
	Type    string // jar, tar.gz
}

// URL is where a repository has the file (Maven's standard layout).
func (a Artifact) URL(repository string) string {
	return fmt.Sprintf("%s/%s/%s/%s/%s-%s.%s", repository, strings.ReplaceAll(a.Group, ".", "/"), a.Name, a.Version, a.Name, a.Version, a.Type)
}
