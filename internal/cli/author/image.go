package author

import (
	"cmp"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/platform/kubernetes/image"
	"plimsoll/internal/text/version"
)

type imageOptions struct {
	output        string
	tag           string
	binary        string
	containerfile bool
}

func newImage(s *command.State) *cobra.Command {
	o := &imageOptions{}
	cmd := &cobra.Command{
		Use:   "image",
		Short: "Write the container image of this program, which Kubernetes needs",
		Long: `Image writes an OCI archive that holds this program and nothing else. It needs
no container engine and no network. Put it where the nodes of the cluster find it:

  skopeo copy oci-archive:plimsoll.tar docker://REGISTRY/plimsoll:VERSION
  docker load --input plimsoll.tar
  ctr --namespace k8s.io images import plimsoll.tar      (on each node)

--containerfile prints a Containerfile instead, for podman build or docker build.

Exit codes: 0 written; 2 the reference is not valid; 3 this program is not static.`,
		Example: `  plimsoll image
  plimsoll image --tag registry.example/tools/plimsoll:1 --output image.tar
  plimsoll image --output - | ssh NODE ctr --namespace k8s.io images import -
  plimsoll image --binary plimsoll-arm64 --output plimsoll-arm64.tar`,
		Args: command.ExactArgs(0),
		RunE: func(*cobra.Command, []string) error { return writeImage(s, o) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.output, "output", "o", "plimsoll.tar", "`file` to write; - is standard output")
	f.StringVar(&o.tag, "tag", "", "`reference` that the image has after an import (default "+image.Reference("VERSION")+")")
	f.StringVar(&o.binary, "binary", "", "static plimsoll `file` to pack, such as one for another architecture (default this program)")
	f.BoolVar(&o.containerfile, "containerfile", false, "print a Containerfile and write nothing")
	return cmd
}

// madeImage is what was written.
type madeImage struct {
	Reference    string `json:"reference"`
	File         string `json:"file"`
	Digest       string `json:"digest"`
	Architecture string `json:"architecture"`
}

func writeImage(s *command.State, o *imageOptions) error {
	if o.containerfile {
		_, err := io.WriteString(s.Stdout, image.Containerfile())
		return err
	}
	reference := cmp.Or(o.tag, image.Reference(version.Get()))
	if err := image.CheckReference(reference); err != nil {
		return command.Usage(fmt.Errorf("image: --tag: %w", err))
	}
	if err := command.FitsName(o.output, "tar"); err != nil {
		return err
	}
	made, arch, err := image.Plimsoll(cmp.Or(o.binary, s.Executable))
	if err != nil {
		return command.CannotRun(err, "")
	}
	digest, err := made.Digest()
	if err != nil {
		return err
	}
	if o.output == "-" { // an archive is no text: it does not go through the escaping of s.Stdout
		return image.Archive(os.Stdout, reference, made)
	}
	if err := image.WriteArchive(o.output, reference, made); err != nil {
		return err
	}
	return printImage(s, madeImage{Reference: reference, File: o.output, Digest: digest.String(), Architecture: arch})
}

func printImage(s *command.State, m madeImage) error {
	if s.JSON {
		return s.PrintJSON(m)
	}
	s.PrintWrapped("%s: %s (linux/%s, %s)", m.File, m.Reference, m.Architecture, m.Digest)
	return nil
}
