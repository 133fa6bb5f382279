package images

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"plimsoll/internal/app/builtin/imaged"
	"plimsoll/internal/app/builtin/transfer"
	"plimsoll/internal/app/builtin/transfer/content"
)

// The digest of an item is published in the name of an additional, empty item. A list of
// the store therefore contains all published digests: digest-NUMBER-DIGEST.
const digestPrefix = "digest-"

// publish adds the item whose name has an item's digest.
func publish(ctx context.Context, at imaged.Place, n int, checksum string) error {
	is, err := at.Digest(ctx, named(n), checksum)
	if err != nil {
		return err
	}
	return at.Make(ctx, fmt.Sprintf("%s%d-%s", digestPrefix, n, is), transfer.Packed, content.Item{})
}

// published are the digests of a store's items; none where they were not asked for.
func published(ctx context.Context, at imaged.Place, p *Parameters) (map[int]string, error) {
	if !p.publishes() {
		return nil, nil
	}
	names, err := at.List(ctx)
	if err != nil {
		return nil, err
	}
	all := map[int]string{}
	for _, name := range names {
		if rest, ok := strings.CutPrefix(name, digestPrefix); ok {
			number, digest, _ := strings.Cut(rest, "-")
			n, err := strconv.Atoi(number)
			if err != nil {
				return nil, fmt.Errorf("%s is no digest of an item", name)
			}
			all[n] = digest
		}
	}
	if len(all) != p.Items {
		return nil, fmt.Errorf("the store has %d digests of %d items", len(all), p.Items)
	}
	return all, nil
}
