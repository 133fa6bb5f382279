package disk

import (
	"testing"

	"plimsoll/internal/storage"
	"plimsoll/internal/text/unit"
)

func TestImagesGrowWhereTheyLie(t *testing.T) {
	for image, want := range map[string]storage.Place{
		"":          {Capacity: 8 << 30},
		imageFile:   {Capacity: 8 << 30},
		imageMemory: {Capacity: 8 << 30, Path: storage.MemoryPath, InMemory: true},
	} {
		if got := (Kind{}).Place(&Parameters{Media: "hdd-7200", Size: unit.Bytes(8 << 30), Image: image}); got != want {
			t.Errorf("image %q: %+v, want %+v", image, got, want)
		}
	}
}
