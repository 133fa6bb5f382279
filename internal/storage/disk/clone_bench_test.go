package disk_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
)

// BenchmarkClone makes volumes the size of small databases: 1,000 files of 40 kB, eight
// volumes at a time.
func BenchmarkClone(b *testing.B) {
	for _, fs := range []string{"xfs", "ext4"} {
		b.Run(fs, func(b *testing.B) { benchmarkClone(b, fs) })
	}
}

func benchmarkClone(b *testing.B, fs string) {
	p := &disk.Parameters{Media: "ssd-sas", FileSystem: fs}
	if err := (disk.Kind{}).Usable(p); err != nil {
		b.Skip(err)
	}
	executable, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	runID := "bench-" + fs
	class, err := disk.Kind{}.New("sim", p, storage.Env{
		RunID: runID, Scratch: filepath.Join(b.TempDir(), runID), Executable: executable, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := class.Down(context.WithoutCancel(b.Context())); err != nil {
			b.Error(err)
		}
	})
	if err := class.Up(b.Context()); err != nil {
		b.Fatal(err)
	}
	golden := b.TempDir()
	for i := range 1000 {
		if err := os.WriteFile(filepath.Join(golden, fmt.Sprint(i)), make([]byte, 40<<10), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	if err := class.Import(b.Context(), "key", golden); err != nil {
		b.Fatal(err)
	}
	atOnce := make(chan struct{}, 8)
	var all sync.WaitGroup
	b.ResetTimer()
	for i := range b.N {
		atOnce <- struct{}{}
		all.Go(func() {
			defer func() { <-atOnce }()
			if _, err := class.Clone(b.Context(), "key", storage.Claim{Name: fmt.Sprint("v", i)}); err != nil {
				b.Error(err)
			}
		})
	}
	all.Wait()
	b.StopTimer()
}
