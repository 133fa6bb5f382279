package objects

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/tags"

	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload/fileio"
)

// change does one operation that changes a key, reports it, notes how the key is then and
// gives a receipt. A key in doubt is deleted first.
func (u *user) change(ctx context.Context, verb string, number int64) error {
	if !u.ledger.objects[number].certain() {
		if err := u.do(ctx, remove, number); err != nil {
			return err
		}
	}
	return u.do(ctx, verb, number)
}

func (u *user) do(ctx context.Context, verb string, number int64) error {
	key, before := u.own.key(number, u.p.Prefixes), u.ledger.objects[number]
	after, request := u.plan(ctx, verb, key, number, before)
	err := u.time(verb, request)
	if err != nil { // the connection may still read the buffer of a request that was given up
		u.blocks = newBlocks(u.volume, u.p.Verify, u.random.Uint64())
	}
	switch {
	case err == nil:
		after.acked++
		u.note(number, after)
	case !untouched(err):
		u.note(number, before.inDoubt(verb, after))
	}
	return named(key, err)
}

// plan returns the state of a key after a change, and the request that makes it.
func (u *user) plan(ctx context.Context, verb, key string, number int64, before object) (after object, request func() error) {
	after = before
	after.doubt, after.tried, after.tagged = false, content{}, 0
	switch verb {
	case remove:
		after.is = content{}
		return after, func() error { return u.wire.Delete(ctx, key) }
	case tag:
		after.tagged = before.tagged + 1
		return after, func() error { return u.tag(ctx, key, after.tagged) }
	case duplicate:
		from := u.drawExisting()
		for from.key == key { // a store refuses to copy an object to itself
			from = u.drawLoaded()
		}
		after.is = from.content
		return after, func() error { return u.copy(ctx, from.key, key) }
	}
	after.writes = blockcheck.Next(before.writes)
	after.is = content{u.own.file(number), after.writes, u.p.sizeOf(u.volume, u.own.file(number), after.writes)}
	if verb == multipart {
		return after, func() error { return u.putParts(ctx, key, after.is) }
	}
	return after, func() error { return u.put(ctx, key, after.is) }
}

func (u *user) drawLoaded() knownObject {
	at := u.random.Int64N(u.p.Objects)
	return knownObject{u.loaded.key(at, u.p.Prefixes), loaded(u.p, u.volume, u.loaded, at)}
}

// Contents are not signed, as with other load generators over http: the stamps are their
// checksums.
func putOptions() minio.PutObjectOptions {
	return minio.PutObjectOptions{DisableContentSha256: true, DisableMultipart: true}
}

func (u *user) put(ctx context.Context, key string, c content) error {
	return u.wire.Put(ctx, key, u.blocks.body(c, 0, c.size), c.size)
}

// abortWithin bounds how long a user tries to abort an upload that failed.
const abortWithin = 10 * time.Second

// putParts uploads an object in parts, one after another.
func (u *user) putParts(ctx context.Context, key string, c content) error {
	upload, err := u.Core.NewMultipartUpload(ctx, u.Bucket, key, putOptions())
	if err != nil {
		return err
	}
	parts, err := u.parts(ctx, key, upload, c)
	if err == nil {
		_, err = u.Core.CompleteMultipartUpload(ctx, u.Bucket, key, upload, parts, putOptions())
	}
	if err != nil {
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), abortWithin)
		defer stop()
		_ = u.Core.AbortMultipartUpload(ctx, u.Bucket, key, upload) // the upload's own error counts
	}
	return err
}

func (u *user) parts(ctx context.Context, key, upload string, c content) (all []minio.CompletePart, err error) {
	for from := int64(0); from < c.size; {
		to := min(c.size, from+partBytes(u.p))
		p, err := u.Core.PutObjectPart(ctx, u.Bucket, key, upload, len(all)+1, u.blocks.body(c, from, to), to-from, minio.PutObjectPartOptions{DisableContentSha256: true})
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", len(all)+1, err)
		}
		all = append(all, minio.CompletePart{PartNumber: p.PartNumber, ETag: p.ETag})
		from = to
	}
	return all, nil
}

// partBytes is the size of a part in whole blocks.
func partBytes(p *Parameters) int64 {
	return (int64(p.Part) + blockBytes - 1) / blockBytes * blockBytes
}

func (u *user) copy(ctx context.Context, from, to string) error {
	_, err := u.Core.CopyObject(ctx, u.Bucket, from, u.Bucket, to, nil, minio.CopySrcOptions{}, minio.PutObjectOptions{})
	return err
}

// tagName is the tag that tag sets.
const tagName = "plimsoll"

func (u *user) tag(ctx context.Context, key string, value uint32) error {
	t, err := tags.NewTags(map[string]string{tagName: strconv.FormatUint(uint64(value), 10)}, true)
	if err != nil {
		return err
	}
	return u.Core.PutObjectTagging(ctx, u.Bucket, key, t, minio.PutObjectTaggingOptions{})
}

// note keeps how a key is now and gives a receipt of it, which is numbers
// (encoding/binary's unsigned varints):
//
//	volume, user, epoch, number, receipts of this key, changes that were acknowledged,
//	file, generation, size, tag,
//	doubt (1, 2 for a tag, 3 for a deletion), and what was tried: file, generation, size
func (u *user) note(number int64, o object) {
	o.given++
	u.ledger.set(number, o)
	doubt := uint64(0)
	if o.doubt {
		doubt = 1
		switch {
		case o.retagged:
			doubt = 2
		case o.deleted:
			doubt = 3
		}
	}
	u.receipt = fileio.AppendNumbers(u.receipt[:0], u.volume, uint64(u.own.user), u.own.epoch, uint64(number), uint64(o.given), uint64(o.acked),
		o.is.file, uint64(o.is.generation), uint64(o.is.size), uint64(o.tagged),
		doubt, o.tried.file, uint64(o.tried.generation), uint64(o.tried.size))
	u.rec.Receipt(u.receipt)
}
