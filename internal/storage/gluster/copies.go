package gluster

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"plimsoll/internal/storage"
)

// CheckCopies compares the files of a replicated volume on the bricks
// themselves. Gluster does not do so: it repairs a brick that is known to have
// missed a write, and cannot know of one that lost a flushed write.
func (p *Pool) CheckCopies(ctx context.Context, v storage.Volume) (storage.Copies, error) {
	p.mu.Lock()
	own := p.volumes[v.Name]
	p.mu.Unlock()
	if own == nil || p.geometry.Replica < 2 {
		return storage.Copies{}, nil
	}
	var all storage.Copies
	for set := range slices.Chunk(own.bricks(), p.geometry.SetSize()) {
		sums, err := summed(ctx, set)
		if err != nil {
			return all, fmt.Errorf("compare the copies of volume %s: %w", v.Name, err)
		}
		all.Files += len(sums[0])
		all.Different = append(all.Different, differing(set, sums)...)
	}
	return all, nil
}

// checksums of the files on a brick, by path.
type checksums map[string][sha256.Size]byte

func summed(ctx context.Context, bricks []string) ([]checksums, error) {
	sums := make([]checksums, len(bricks))
	var all errgroup.Group
	for n, brick := range bricks {
		_, path, _ := strings.Cut(brick, ":")
		all.Go(func() (err error) {
			sums[n], err = sumTree(ctx, filepath.Join(path, "data"))
			return err
		})
	}
	return sums, all.Wait()
}

func sumTree(ctx context.Context, root string) (checksums, error) {
	sums := checksums{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		sums[name], err = sumFile(path)
		return errors.Join(err, ctx.Err())
	})
	return sums, err
}

func sumFile(path string) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return [sha256.Size]byte(h.Sum(nil)), err
}

// differing names each file that a brick lacks or holds in another version than the first
// brick.
func differing(bricks []string, sums []checksums) (different []string) {
	names := checksums{}
	for _, s := range sums {
		maps.Copy(names, s)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		var odd []string
		for n, s := range sums {
			first, there := sums[0][name]
			if sum, ok := s[name]; ok != there || sum != first {
				odd = append(odd, bricks[n])
			}
		}
		if len(odd) > 0 {
			different = append(different, fmt.Sprintf("%s: on %s it is not as on %s", name, strings.Join(odd, " and "), bricks[0]))
		}
	}
	return different
}
