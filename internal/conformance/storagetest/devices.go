package storagetest

import (
	"os"
	"testing"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/storage"
	"plimsoll/test/quick"
)

// RunDevices checks a class that hands out raw devices: what of the suite
// applies where there are no files. The class has at least two devices.
func RunDevices(t *testing.T, make func(storage.Env) (storage.Class, error)) {
	t.Helper()
	quick.Skip(t, quick.Media)
	for _, p := range []part{
		{"up and down are idempotent", idempotent},
		{"describes itself", describes},
		{"refuses bad names", refusesBadNames},
		{"hands each device out once", handsOutOnce},
		{"keeps what was written and gives devices back", keepsWrites},
	} {
		t.Run(p.name, func(t *testing.T) { p.run(t, newBench(t, make)) })
	}
}

// handsOutOnce takes volumes until there are no more.
func handsOutOnce(t *testing.T, b *bench) {
	b.up()
	var all []storage.Volume
	for len(all) < 64 {
		v, err := b.class.Provision(b.ctx, storage.Claim{Name: b.named(string(rune('a' + len(all))))})
		if err != nil {
			t.Log(err)
			break
		}
		for _, before := range all {
			if before.Path == v.Path {
				t.Fatalf("%s was handed out twice", v.Path)
			}
		}
		all = append(all, v)
	}
	if len(all) < 2 || len(all) == 64 {
		t.Fatalf("%d volumes", len(all))
	}
	if free := b.class.Describe().Free; free != 0 {
		t.Errorf("%d bytes are free although all devices are in use", free)
	}
	b.must("delete", b.class.Delete(b.ctx, all[1]))
	b.must("delete twice", b.class.Delete(b.ctx, all[1]))
	again, err := b.class.Provision(b.ctx, storage.Claim{Name: b.named("again")})
	b.must("provision", err)
	if again.Path != all[1].Path {
		t.Errorf("%s is free, %s was handed out", all[1].Path, again.Path)
	}
}

// keepsWrites writes through the page cache and drops it.
func keepsWrites(t *testing.T, b *bench) {
	b.up()
	v, err := b.class.Provision(b.ctx, storage.Claim{Name: b.named("one")})
	b.must("provision", err)
	if at, err := endpoint.As[endpoint.Volume](v.Endpoint()); err != nil || v.Endpoint().Kind != endpoint.Device || at.Path != v.Path || at.Bytes <= 0 {
		t.Errorf("%+v is no device of a known size", v)
	}
	b.must("write", writeAt(v.Path, "what was written"))
	_, err = b.class.Settle(b.ctx)
	b.must("settle", err)
	if remount := b.class.Capabilities().Remount; remount != nil {
		done, err := remount(b.ctx)
		b.must("remount", err)
		t.Log(done)
	}
	found := [16]byte{}
	f, err := os.Open(v.Path)
	b.must("open", err)
	defer f.Close()
	if _, err := f.ReadAt(found[:], 0); err != nil || string(found[:]) != "what was written" {
		t.Errorf("found %q, %v", found, err)
	}
}

func writeAt(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt([]byte(text), 0); err != nil {
		_ = f.Close() // the first error counts
		return err
	}
	return f.Close()
}
