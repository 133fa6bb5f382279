package objects_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"

	"plimsoll/internal/app/versitygw"
	"plimsoll/internal/client/bucket"
	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/mix"
	"plimsoll/internal/workload/objects"
)

func parametersWith(change func(*objects.Parameters)) workload.Parameters {
	p := objects.Workload{}.Defaults().(*objects.Parameters)
	p.Objects, p.Prefixes, p.Page = 12, 2, 3
	p.Sizes = objects.Sizes{Mix: mix.Sizes{{Bytes: 1, Weight: 1}, {Bytes: 5000, Weight: 5}, {Bytes: 200_000, Weight: 1}}}
	change(p)
	return p
}

func TestConformance(t *testing.T) {
	for name, verbs := range map[string]string{
		"usual":   "get:40, put:30, range:5, head:5, list:5, copy:5, tag:5, delete:5",
		"writing": "put:50, multipart:10, copy:20, delete:20",
		"parts":   "multipart:70, get:20, delete:10",
	} {
		t.Run(name, func(t *testing.T) {
			m, err := mix.ParseVerbs(verbs)
			if err != nil {
				t.Fatal(err)
			}
			sizes, err := objects.ParseSizes("lognormal median=5kB p99=200kB max=400kB")
			if err != nil {
				t.Fatal(err)
			}
			suite := workloadtest.Suite{
				Workload: objects.Workload{}, Parameters: parametersWith(func(p *objects.Parameters) {
					if p.Mix = m; name == "usual" {
						p.Sizes = sizes
					}
				}),
				Environment: workloadtest.Here(versitygw.Engine{}),
				Damages:     damages(),
				Wrong: map[string]workload.Parameters{
					"mix":      parametersWith(func(p *objects.Parameters) { p.Mix = mix.Verbs{{Verb: "post", Weight: 1}} }),
					"sizes":    parametersWith(func(p *objects.Parameters) { p.Sizes = objects.Sizes{Mix: mix.Sizes{{Bytes: 0, Weight: 1}}} }),
					"objects":  parametersWith(func(p *objects.Parameters) { p.Objects = 0 }),
					"prefixes": parametersWith(func(p *objects.Parameters) { p.Prefixes = 0 }),
					"page":     parametersWith(func(p *objects.Parameters) { p.Page = 1001 }),
					"part":     parametersWith(func(p *objects.Parameters) { p.Part = 1 << 20 }),
					"range":    parametersWith(func(p *objects.Parameters) { p.Range = 0 }),
				},
			}
			workloadtest.Run(t, suite)
		})
	}
}

// damages are done to a key of those that users wrote, and undone.
func damages() []workloadtest.Damage {
	const whole = "every object that was acknowledged is there, whole, as it was written last"
	var key string
	var was []byte
	var tags map[string]string
	damage := func(name, fails string, of string, do func(t *testing.T, c *minio.Client, content []byte)) workloadtest.Damage {
		return workloadtest.Damage{
			Name: name, Fails: fails,
			Do: func(t *testing.T, target workload.Target, _ [][]byte) {
				c := client(t, target)
				key, was = some(t, c, of)
				tags = nil
				if found, err := c.GetObjectTagging(t.Context(), "objects", key, minio.GetObjectTaggingOptions{}); err == nil {
					tags = found.ToMap()
				}
				do(t, c, bytes.Clone(was))
			},
			Undo: func(t *testing.T, target workload.Target, _ [][]byte) { write(t, client(t, target), key, was, tags) },
		}
	}
	lose := func(t *testing.T, c *minio.Client, _ []byte) {
		if err := c.RemoveObject(t.Context(), "objects", key, minio.RemoveObjectOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	flip := func(t *testing.T, c *minio.Client, content []byte) {
		content[len(content)/2] ^= 1
		write(t, c, key, content, nil)
	}
	cut := func(t *testing.T, c *minio.Client, content []byte) { write(t, c, key, content[:len(content)/2], nil) }
	extra := damage("a name that must not be there", "names that must not be in the list", "w", func(t *testing.T, c *minio.Client, _ []byte) {
		write(t, c, "w99999-80000000/p0000/o00000000", []byte("x"), nil)
	})
	extra.Undo = func(t *testing.T, target workload.Target, _ [][]byte) {
		if err := client(t, target).RemoveObject(t.Context(), "objects", "w99999-80000000/p0000/o00000000", minio.RemoveObjectOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return []workloadtest.Damage{
		damage("an object that was written is lost", whole, "w", lose),
		damage("a byte of an object is changed", whole, "w", flip),
		damage("an object is cut", whole, "w", cut),
		damage("an object that was loaded is lost", "every object that was loaded is there, whole", "u", lose),
		extra,
	}
}

func client(t *testing.T, target workload.Target) *minio.Client {
	t.Helper()
	c, err := bucket.Client(target.Endpoint("store"), 0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// some returns the largest object of those whose keys begin in some way.
func some(t *testing.T, c *minio.Client, prefix string) (key string, content []byte) {
	t.Helper()
	var all []minio.ObjectInfo
	for o := range c.ListObjects(t.Context(), "objects", minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		all = append(all, o)
	}
	if len(all) == 0 {
		t.Fatal("there is no object to damage")
	}
	largest := slices.MaxFunc(all, func(a, b minio.ObjectInfo) int { return int(a.Size - b.Size) })
	o, err := c.GetObject(t.Context(), "objects", largest.Key, minio.GetObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if content, err = io.ReadAll(o); err != nil || len(content) < 2 {
		t.Fatalf("%s: %d bytes, %v", largest.Key, len(content), err)
	}
	return largest.Key, content
}

func write(t *testing.T, c *minio.Client, key string, content []byte, tags map[string]string) {
	t.Helper()
	if _, err := c.PutObject(t.Context(), "objects", key, strings.NewReader(string(content)), int64(len(content)), minio.PutObjectOptions{UserTags: tags}); err != nil {
		t.Fatal(err)
	}
}
