// Package image makes container images from files of this machine, without a
// registry and without a container engine. It writes them as OCI archives, which
// containerd, Podman, Skopeo and Docker import.
package image

import (
	"fmt"
	"io/fs"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Spec says what an image is made of. The same files give the same digest.
type Spec struct {
	// Layers are stacked in this order. Images with an equal layer share it where they are
	// imported.
	Layers     []Layer
	Entrypoint []string
	Env        []string
	User       string // as in a Containerfile: "65532:65532"; empty is root
	Arch       string // as GOARCH has it
	Created    time.Time
}

// Layer is a set of files. Their directories are added automatically.
type Layer []File

// File is a file, a link or a directory of an image, owned by root.
type File struct {
	Path string // absolute, in the image
	// Source is the file on this machine that it is a copy of; without it the file
	// holds Content.
	Source  string
	Content []byte
	Link    string      // makes it a symbolic link to there
	Mode    fs.FileMode // with fs.ModeDir for a directory
}

// Build makes the image.
func Build(s Spec) (v1.Image, error) {
	made := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	for _, l := range s.Layers {
		data, err := l.tar()
		if err != nil {
			return nil, fmt.Errorf("make the image: %w", err)
		}
		made, err = mutate.AppendLayers(made, static.NewLayer(data, types.OCIUncompressedLayer))
		if err != nil {
			return nil, fmt.Errorf("make the image: %w", err)
		}
	}
	file, err := made.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("make the image: %w", err)
	}
	file = file.DeepCopy()
	file.Architecture, file.OS, file.Created = s.Arch, "linux", v1.Time{Time: s.Created}
	file.Config = v1.Config{Entrypoint: s.Entrypoint, Env: s.Env, User: s.User, WorkingDir: "/"}
	made, err = mutate.ConfigFile(made, file)
	if err != nil {
		return nil, fmt.Errorf("make the image: %w", err)
	}
	return made, nil
}
