package image

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"plimsoll/internal/host/owner"
)

// Binary is the path of the program in Plimsoll's image, and User is the user that runs it.
const (
	Binary = "/plimsoll"
	User   = "65532:65532"
)

// notInTags is what a tag may not hold.
var notInTags = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// Reference is the name that the image of a version has unless another one is
// given: "localhost/plimsoll:v1.2.0". No node pulls it from anywhere, so that it is
// either imported or not there.
func Reference(version string) string {
	tag := strings.Trim(notInTags.ReplaceAllString(version, "-"), "-.")
	return "localhost/plimsoll:" + tag[:min(len(tag), 128)]
}

// Plimsoll is an image that holds a static binary of Plimsoll and nothing else. The
// architecture is the binary's own.
func Plimsoll(binary string) (image v1.Image, arch string, err error) {
	if arch, err = architecture(binary); err != nil {
		return nil, "", fmt.Errorf("read the program %s: %w", binary, err)
	}
	image, err = Build(Spec{
		Layers: []Layer{{
			{Path: Binary, Source: binary, Mode: 0o755},
			{Path: "/tmp", Mode: fs.ModeDir | fs.ModeSticky | 0o777},
		}},
		Entrypoint: []string{Binary}, Env: environment, User: User, Arch: arch,
	})
	return image, arch, err
}

// environment lets a person type the program's name; without a home directory
// there is no place for caches.
var environment = []string{"PATH=/", "HOME=/tmp", owner.AloneVariable + "=1"}

// Architectures are those that releases are made for, as GOARCH has them; see packaging/build.
func Architectures() []string { return []string{"amd64", "arm64"} }

// architecture is the architecture of a static program, in GOARCH's terms.
func architecture(binary string) (string, error) {
	file, err := elf.Open(binary)
	if err != nil {
		return "", fmt.Errorf("it is no program for Linux: %w", err)
	}
	defer file.Close()
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP {
			return "", errors.New("it needs the libraries of this machine, which the image does not have; build it with CGO_ENABLED=0 (make build)")
		}
	}
	arch, known := map[elf.Machine]string{
		elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64", elf.EM_RISCV: "riscv64", elf.EM_PPC64: "ppc64le", elf.EM_S390: "s390x",
	}[file.Machine]
	if !known {
		return "", fmt.Errorf("no image is made for its architecture, %s", file.Machine)
	}
	return arch, nil
}

// Containerfile builds the same image with Podman, Buildah or Docker.
func Containerfile() string {
	return `# Put the static plimsoll binary beside this file, and then:
#   podman build --tag REGISTRY/plimsoll:VERSION --file Containerfile .
FROM scratch
COPY --chmod=0755 plimsoll ` + Binary + `
ENV ` + strings.Join(environment, " ") + `
USER ` + User + `
ENTRYPOINT ["` + Binary + `"]
`
}
