package kubernetes_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"plimsoll/internal/app/postgres"
	"plimsoll/internal/conformance/platformtest"
	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/kubernetes"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/platform/kubernetes/image"
)

// suiteImage is the image of platformtest's program.
const suiteImage = "plimsoll.test/platformtest:1"

// onSuite makes platformtest's image serve as Plimsoll's own.
func onSuite(p *kubernetes.Parameters) { p.Images["plimsoll"] = suiteImage }

// suiteBed has the image imported.
func suiteBed(t *testing.T) *bed {
	t.Helper()
	b := newBed(t, onSuite)
	if os.Getenv(developing) != "" {
		return b // where it was imported before
	}
	imported.Do(func() {
		archive, err := suiteArchive(t)
		if err == nil {
			err = b.Import(t.Context(), archive)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	return b
}

var imported sync.Once

func suiteArchive(t *testing.T) (string, error) {
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", program, "plimsoll/internal/conformance/platformtest/program")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	made, err := image.Build(image.Spec{
		Layers: []image.Layer{{{Path: "/plimsoll", Source: program, Mode: 0o755}}}, Entrypoint: []string{"/plimsoll"}, User: "65532:65532", Arch: runtime.GOARCH,
	})
	if err != nil {
		return "", err
	}
	archive := filepath.Join(dir, "image.tar")
	return archive, image.WriteArchive(archive, suiteImage, made)
}

func TestTasks(t *testing.T) {
	t.Parallel()
	b := suiteBed(t)
	platformtest.Suite{Platform: func(t *testing.T) platform.Platform { return b.open(t) }}.RunTasks(t)
}

// work is what platformtest's tasks are to do.
type work struct {
	Records int           `json:"records"`
	Size    int           `json:"size"`
	Pause   time.Duration `json:"pause"`
}

func begin(t *testing.T, p *kubernetes.Kubernetes, kind string, w work) platform.Running {
	t.Helper()
	job, err := task.NewJob(kind, kind, w)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Task(t.Context(), platform.Task{Name: kind, Job: job})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// count follows a task and does something when the first record is there. It gives
// how many records came, each once.
func count(t *testing.T, r platform.Running, do func() error) (records int, err error) {
	t.Helper()
	err = (&task.Follower{Source: r}).Run(t.Context(), func(f task.Frame) error {
		if f.Kind != task.RecordFrame {
			return nil
		}
		if records++; records == 1 {
			return do()
		}
		return nil
	})
	return records, err
}

// podOf is the one pod of a task.
func (b *bed) podOf(t *testing.T, p *kubernetes.Kubernetes) *corev1.Pod {
	t.Helper()
	all, err := api.Of[corev1.Pod](b.client, p.Namespace()).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(all) != 1 {
		t.Fatalf("%d pods, %v", len(all), err)
	}
	return &all[0]
}

// A stream continues from its last position after the components that carry it have been
// restarted.
func TestATaskOutlastsWhatItsStreamGoesThrough(t *testing.T) {
	if os.Getenv(developing) != "" {
		t.Skip("others use this cluster")
	}
	b := suiteBed(t)
	for _, program := range []string{"kube-apiserver", "kubelet"} {
		t.Run(program, func(t *testing.T) {
			p := b.open(t)
			const records = 600
			r := begin(t, p, "count", work{Records: records, Size: 100, Pause: 50 * time.Millisecond})
			got, err := count(t, r, func() error { return b.RestartProgram(t.Context(), program) })
			if err != nil || got != records {
				t.Errorf("%d records, %v", got, err)
			}
			<-r.Done()
			if r.Err() != nil {
				t.Errorf("it ended with %v", r.Err())
			}
		})
	}
}

// A task whose pod goes says why.
func TestATaskWhosePodGoes(t *testing.T) {
	t.Parallel()
	b := suiteBed(t)
	for name, c := range map[string]struct {
		remove func(context.Context, *corev1.Pod) error
		says   string
	}{
		"deleted at once": {func(ctx context.Context, pod *corev1.Pod) error {
			return b.client.Delete(ctx, pod, 0)
		}, api.ErrGone.Error()},
		"deleted in order": {func(ctx context.Context, pod *corev1.Pod) error {
			return b.client.Delete(ctx, pod, -1)
		}, api.ErrGone.Error()},
		"evicted": {func(ctx context.Context, pod *corev1.Pod) error {
			return b.client.Evict(ctx, pod, -1)
		}, "its pod was evicted"},
	} {
		t.Run(name, func(t *testing.T) {
			p := b.open(t)
			r := begin(t, p, "linger", work{Records: 50})
			records, err := count(t, r, func() error { return c.remove(t.Context(), b.podOf(t, p)) })
			if err == nil || records == 0 {
				t.Fatalf("%d records, %v", records, err)
			}
			if !errors.As(err, new(task.Failure)) && !errors.Is(err, task.ErrUnended) && !errors.Is(err, task.ErrLost) {
				t.Fatal(err)
			}
			<-r.Done()
			mention(t, r.Err(), "linger", c.says)
			mention(t, platform.WhyEnded(err, r), c.says)
		})
	}
}

// A task that needs more memory than it may have is distinguished from one that fails.
func TestATaskWithoutMemory(t *testing.T) {
	t.Parallel()
	b := suiteBed(t)
	p := b.open(t)
	limit := &corev1.LimitRange{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
		Type: corev1.LimitTypeContainer, Default: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("128Mi")},
	}}}}
	limit.Name, limit.Namespace = "small", p.Namespace()
	if err := b.client.Apply(t.Context(), limit); err != nil {
		t.Fatal(err)
	}
	r := begin(t, p, "glutton", work{})
	if _, err := count(t, r, func() error { return nil }); err == nil {
		t.Error("it ended well")
	}
	<-r.Done()
	mention(t, r.Err(), "glutton", "OOMKilled")
}

// Many tasks begin together, each with the offset of its clock.
func TestManyTasksBeginTogether(t *testing.T) {
	t.Parallel()
	b := suiteBed(t)
	p := b.open(t)
	var all []platform.Task
	for _, name := range strings.Fields("a b c d e f") {
		job, err := task.NewJob("count", name, work{Records: 10})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, platform.Task{Name: name, Job: job})
	}
	began := time.Now()
	release, err := p.Reserve(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d places after %s", len(all), time.Since(began))
	began = time.Now()
	var wait sync.WaitGroup
	for _, about := range all {
		r, err := p.Task(t.Context(), about)
		if err != nil {
			t.Fatal(err)
		}
		wait.Go(func() {
			err := (&task.Follower{Source: r}).Run(t.Context(), func(f task.Frame) error {
				if f.Kind != task.HelloFrame {
					return nil
				}
				hello, err := f.Hello()
				if hello.Offset == 0 || hello.Offset.Abs() > time.Minute {
					t.Errorf("the clock of %s is ahead by %s", about.Name, hello.Offset)
				}
				t.Logf("%s: hello %s after it was told to begin, heard after %s", about.Name, hello.Clock.Add(-hello.Offset).Sub(began), time.Since(began))
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if err := release(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAReservationThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	b := newBed(t, onSuite, func(p *kubernetes.Parameters) {
		p.Placement.Driver.NodeSelector = map[string]string{"plimsoll.io/none": "here"}
	})
	p := b.open(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	_, err := p.Reserve(ctx, []platform.Task{{Name: "a"}, {Name: "b"}})
	mention(t, err, "did not come up", "node")
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		all, err := api.Of[corev1.Pod](b.client, p.Namespace()).List(t.Context(), metav1.ListOptions{})
		if err == nil && len(all) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d pods are left, %v", len(all), err)
		}
	}
}

// An engine is asked in its image, once.
func TestAnEngineIsFoundInItsImage(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	if b.Images["postgres"] == "" {
		t.Skip("PostgreSQL is not installed here: run apt-get install postgresql")
	}
	p := b.open(t)
	for range 2 {
		in, err := p.Find(t.Context(), postgres.Engine{}, "", true)
		if err != nil {
			t.Fatal(err)
		}
		if in.Source != "image" || !strings.HasPrefix(in.Image, "plimsoll.test/postgres") || in.Paths["initdb"] == "" || in.Version == "" {
			text, _ := json.Marshal(in)
			t.Errorf("found %s", text)
		}
	}
	_, err := p.Find(t.Context(), postgres.Engine{}, "14", true)
	mention(t, err, "plimsoll.test/postgres", "14")
}
