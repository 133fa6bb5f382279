package training

import (
	"context"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/valyala/fasthttp"

	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/objectio"
)

// alone reports whether it is the driver by itself that is measured, which does not compute.
func alone(t workload.Target) bool { return fileio.InMemory(t) || objectio.IsAnswered(t) }

// Answerable implements workload.Answerer: accelerators take batches without computing. On a
// volume the same readers make and verify samples in memory; of a bucket they ask a process that
// makes them.
func (Workload) Answerable(t workload.Target, p workload.Parameters, address string) (workload.Target, bool) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return t, false
	}
	if own.Source == inBucket {
		return objectio.Answerable(t, address)
	}
	return fileio.Memory{}.Answerable(t, p, address)
}

// Answer implements workload.Answerer: of volumes nobody asks.
func (Workload) Answer(ctx context.Context, l net.Listener, targets []workload.Target, p workload.Parameters) error {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return err
	}
	if own.Source != inBucket {
		return fileio.Memory{}.Answer(ctx, l, targets, p)
	}
	all := map[string]func(*fasthttp.RequestCtx, string){}
	for _, t := range targets {
		all[objectio.AnsweredBucket(t)] = newAnswer(t, own).serve
	}
	return objectio.Answer(ctx, l, all)
}

// answer makes the objects of a bucket.
type answer struct {
	data
	id      objectio.Identity
	buffers sync.Pool // of *[]byte
}

func newAnswer(t workload.Target, p *Parameters) *answer {
	a := &answer{data: p.data(), id: objectio.Identity{Owner: p.owner(), Volume: uint64(t.Instance) + 1}}
	a.buffers.New = func() any {
		b := make([]byte, p.BlockSize)
		blockcheck.Random(b, a.id.Volume)
		return &b
	}
	return a
}

func (a *answer) serve(c *fasthttp.RequestCtx, key string) {
	if key == objectio.IdentityKey {
		a.id.Give(c)
		return
	}
	file, err := strconv.ParseInt(strings.TrimPrefix(key, top+"/"), 10, 64)
	if err != nil || file < 0 || file >= a.files() {
		objectio.None(c, "NoSuchKey")
		return
	}
	if from, to, able := objectio.Asked(c, a.bytesOf(file)); able {
		objectio.Send(c, to-from, func(out io.Writer) error {
			buffer := a.buffers.Get().(*[]byte)
			defer a.buffers.Put(buffer)
			return a.write(out, a.id.Volume, file, from, to, *buffer)
		})
	}
}
