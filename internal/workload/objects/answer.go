package objects

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/valyala/fasthttp"

	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/objectio"
)

// Answerable implements workload.Answerer.
func (Workload) Answerable(t workload.Target, _ workload.Parameters, address string) (workload.Target, bool) {
	return objectio.Answerable(t, address)
}

// Answer implements workload.Answerer. It keeps of each object which write it is, and makes
// its content again from that (package stamp).
func (Workload) Answer(ctx context.Context, l net.Listener, targets []workload.Target, p workload.Parameters) error {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return err
	}
	all := map[string]func(*fasthttp.RequestCtx, string){}
	for _, t := range targets {
		all[objectio.AnsweredBucket(t)] = newAnswer(t, own).serve
	}
	return objectio.Answer(ctx, l, all)
}

// answer is the state of an emulated bucket.
type answer struct {
	p      *Parameters
	bucket string
	id     objectio.Identity
	blocks sync.Pool // of *blocks

	mu      sync.Mutex
	written map[string]map[string]storedObject // by prefix and key
	uploads map[string]*storedObject           // by key: each has one user
}

// storedObject is an object in the emulated bucket.
type storedObject struct {
	content
	short []byte // it, where it is too short to say which write it is
}

func newAnswer(t workload.Target, p *Parameters) *answer {
	a := &answer{p: p, bucket: objectio.AnsweredBucket(t), id: objectio.Identity{Owner: ownerOf(t, p), Volume: uint64(t.Instance) + 1}, written: map[string]map[string]storedObject{}, uploads: map[string]*storedObject{}}
	a.blocks.New = func() any { return newBlocks(a.id.Volume, false, a.id.Volume) }
	return a
}

// serve answers a request about a key, or about the bucket without one.
func (a *answer) serve(c *fasthttp.RequestCtx, key string) {
	query := c.QueryArgs()
	switch method := string(c.Method()); {
	case key == "":
		a.list(c)
	case method == http.MethodHead:
		a.head(c, key)
	case method == http.MethodGet:
		a.get(c, key)
	case method == http.MethodDelete:
		a.remove(c, key)
	case method == http.MethodPost && query.Has("uploads"):
		a.mu.Lock()
		a.uploads[key] = &storedObject{}
		a.mu.Unlock()
		reply(c, uploaded{XMLName: xml.Name{Local: "InitiateMultipartUploadResult"}, Key: key, UploadID: key})
	case method == http.MethodPost:
		a.complete(c, key)
	case query.Has("tagging"):
		_, _, _ = take(c.RequestBodyStream(), nil) // nobody asks for tags
	case query.Has("uploadId"):
		a.part(c, key)
	case len(c.Request.Header.Peek("X-Amz-Copy-Source")) > 0:
		a.copy(c, key)
	default:
		a.put(c, key)
	}
}

// uploaded is how an upload in parts begins and ends.
type uploaded struct {
	XMLName  xml.Name
	Bucket   string `xml:",omitempty"`
	Key      string
	UploadID string `xml:"UploadId,omitempty"`
	ETag     string `xml:",omitempty"`
}

func reply(c *fasthttp.RequestCtx, what any) {
	text, err := xml.Marshal(what)
	if err != nil {
		c.Error(err.Error(), http.StatusInternalServerError)
		return
	}
	c.SetContentType("application/xml")
	c.SetBody(text)
}

// take reads a content and returns its first bytes, enough to identify the write.
func take(from io.Reader, buffer []byte) (first []byte, bytes int64, err error) {
	if from == nil {
		return nil, 0, nil
	}
	first = make([]byte, blockcheck.Header)
	n, err := io.ReadFull(from, first)
	if err != nil { // it is shorter, or the next read says why
		err = nil
	}
	rest, err := io.CopyBuffer(onlyWriter{io.Discard}, from, buffer)
	return first[:n], int64(n) + rest, err
}

// onlyWriter has a copy use its own buffer.
type onlyWriter struct{ io.Writer }

// received reads the object that a request brings.
func (a *answer) received(c *fasthttp.RequestCtx, key string) (w storedObject, err error) {
	b := a.blocks.Get().(*blocks)
	defer a.blocks.Put(b)
	first, bytes, err := take(c.RequestBodyStream(), b.buffer)
	if err != nil {
		return w, err
	}
	w.size = bytes
	if s, ours := blockcheck.Peek(first); ours {
		w.file, w.generation = s.File, s.Generation
		return w, nil
	}
	s, number, _ := readKey(key, a.p.Prefixes)
	w.file, w.short = s.file(number), first
	return w, nil
}

func (a *answer) put(c *fasthttp.RequestCtx, key string) {
	w, err := a.received(c, key)
	if err != nil {
		c.Error(err.Error(), http.StatusBadRequest)
		return
	}
	a.keep(key, w)
	c.Response.Header.Set("ETag", `"0"`)
}

func directory(key string) string { return key[:strings.LastIndexByte(key, '/')+1] }

func (a *answer) keep(key string, w storedObject) {
	a.mu.Lock()
	defer a.mu.Unlock()
	in := a.written[directory(key)]
	if in == nil {
		in = map[string]storedObject{}
		a.written[directory(key)] = in
	}
	in[key] = w
}

// part adds to an upload, whose first part says which write it is.
func (a *answer) part(c *fasthttp.RequestCtx, key string) {
	w, err := a.received(c, key)
	if err != nil {
		c.Error(err.Error(), http.StatusBadRequest)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	up := a.uploads[key]
	switch {
	case up == nil:
		objectio.None(c, "NoSuchUpload")
		return
	case up.size == 0:
		*up = w
	default:
		up.size += w.size
	}
	c.Response.Header.Set("ETag", `"0"`)
}

func (a *answer) complete(c *fasthttp.RequestCtx, key string) {
	_, _, _ = take(c.RequestBodyStream(), nil) // the parts are known
	a.mu.Lock()
	up := a.uploads[key]
	delete(a.uploads, key)
	a.mu.Unlock()
	if up == nil {
		objectio.None(c, "NoSuchUpload")
		return
	}
	a.keep(key, *up)
	reply(c, uploaded{XMLName: xml.Name{Local: "CompleteMultipartUploadResult"}, Bucket: a.bucket, Key: key, ETag: `"0"`})
}

func (a *answer) copy(c *fasthttp.RequestCtx, key string) {
	from := strings.TrimPrefix(string(c.Request.Header.Peek("X-Amz-Copy-Source")), "/")
	w, there := a.find(strings.TrimPrefix(from, a.bucket+"/"))
	if !there {
		objectio.None(c, "NoSuchKey")
		return
	}
	a.keep(key, w)
	reply(c, uploaded{XMLName: xml.Name{Local: "CopyObjectResult"}, ETag: `"0"`})
}

func (a *answer) remove(c *fasthttp.RequestCtx, key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.QueryArgs().Has("uploadId") {
		delete(a.uploads, key)
	} else {
		delete(a.written[directory(key)], key)
	}
	c.SetStatusCode(http.StatusNoContent)
}

// find is an object that was put, or one of those that are loaded in a store.
func (a *answer) find(key string) (w storedObject, there bool) {
	if s, number, ours := readKey(key, a.p.Prefixes); ours && s.epoch == 0 {
		return storedObject{content: loaded(a.p, a.id.Volume, s, number)}, number < a.p.Objects
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	w, there = a.written[directory(key)][key]
	return w, there
}

func (a *answer) head(c *fasthttp.RequestCtx, key string) {
	w, there := a.find(key)
	if !there {
		objectio.None(c, "NoSuchKey")
		return
	}
	c.Response.SkipBody = true
	c.Response.Header.SetContentLength(int(w.size))
}

func (a *answer) get(c *fasthttp.RequestCtx, key string) {
	if key == objectio.IdentityKey {
		a.id.Give(c)
		return
	}
	w, there := a.find(key)
	if !there {
		objectio.None(c, "NoSuchKey")
		return
	}
	from, to, able := objectio.Asked(c, w.size)
	if !able {
		return
	}
	if w.short != nil {
		c.SetBody(w.short)
		return
	}
	objectio.Send(c, to-from, func(out io.Writer) error { return a.remake(out, w.content, from, to) })
}

// remake makes a part of a content again.
func (a *answer) remake(out io.Writer, c content, from, to int64) error {
	b := a.blocks.Get().(*blocks)
	defer a.blocks.Put(b)
	return fileio.Pieces(b.buffer, from, to, func(block []byte, offset int64) error {
		b.of(c).Fill(block, offset)
		_, err := out.Write(block)
		return err
	})
}

// listPage is a page of a list in its XML form.
type listPage struct {
	XMLName               xml.Name `xml:"ListBucketResult"`
	IsTruncated           bool
	NextContinuationToken string `xml:",omitempty"`
	Contents              []listEntry
}

type listEntry struct {
	Key  string
	Size int64
}

func (a *answer) list(c *fasthttp.RequestCtx) {
	query := c.QueryArgs()
	most, err := strconv.Atoi(string(query.Peek("max-keys")))
	if err != nil || most < 1 {
		most = 1000
	}
	all := a.below(string(query.Peek("prefix")))
	after := string(query.Peek("continuation-token"))
	var page listPage
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if key <= after {
			continue
		}
		if page.IsTruncated = len(page.Contents) == most; page.IsTruncated {
			page.NextContinuationToken = page.Contents[most-1].Key
			break
		}
		page.Contents = append(page.Contents, listEntry{key, all[key]})
	}
	reply(c, page)
}

// below are the sizes of the objects below a prefix.
func (a *answer) below(prefix string) map[string]int64 {
	all := map[string]int64{}
	if s, first, ours := readKey(prefix+fmt.Sprintf("o%08d", a.firstBelow(prefix)), a.p.Prefixes); ours && s.epoch == 0 {
		for number := first; number < a.p.Objects; number += a.p.Prefixes {
			all[s.key(number, a.p.Prefixes)] = loaded(a.p, a.id.Volume, s, number).size
		}
		return all
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for key, w := range a.written[prefix] {
		all[key] = w.size
	}
	return all
}

// firstBelow is the number of the first object below a prefix.
func (a *answer) firstBelow(prefix string) (number int64) {
	name := strings.TrimSuffix(prefix, "/")
	_, _ = fmt.Sscanf(name[strings.LastIndexByte(name, '/')+1:], "p%d", &number) // 0 is no key of ours elsewhere
	return number
}
