// Package detach runs a campaign in a cluster, as a Job, without a connected terminal. It
// starts a run, follows its output, stops it, resumes it, and fetches its run directory.
// The directory is on a claim, which the Helm chart makes together with the account of the
// Job. The Job runs this program's own commands.
package detach

import (
	"context"
	"errors"
	"fmt"
	"path"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"plimsoll/internal/platform/kubernetes/api"
)

// Home is where detached runs live. Operations on a run that has begun need only its client
// and namespace.
type Home struct {
	Client    *api.Client
	Namespace string
	Account   string // the ServiceAccount that campaigns run under
	Claim     string // holds their run directories
	// Image is Plimsoll's, and PullSecret, if any, the name of the Secret that it is
	// pulled with.
	Image, PullSecret string
}

// Run is a campaign that is to run detached.
type Run struct {
	Name  string // of its run directory
	Study []byte // as it was written
	// Flags are the flags of `plimsoll run`; the study is separate. They hold no secret.
	Flags []string
}

// Places in the campaign's pod.
const (
	runsDir  = "/runs"
	studyDir = "/study"
	study    = "study.yaml"
)

// Values of api.RoleLabel.
const (
	campaignRole = "campaign"
	fetchRole    = "fetch"
)

// ErrInProgress reports that a campaign of the name is running.
var ErrInProgress = errors.New("it is in progress")

func jobName(run string) string { return api.Name("plimsoll", run) }

func labels(role, run string) map[string]string {
	return map[string]string{api.ManagedBy: api.Manager, api.RoleLabel: role, api.NameLabel: api.LabelValue(run)}
}

// nameAnnotation keeps a run's name where a label had to change it.
const nameAnnotation = "plimsoll.io/run-name"

// Start starts a campaign and waits until it runs. What prevents that is the error,
// and then nothing is left of it.
func (h Home) Start(ctx context.Context, r Run) error {
	if err := h.ready(ctx); err != nil {
		return err
	}
	if _, err := h.job(ctx, r.Name); err == nil {
		return fmt.Errorf("there is a detached run %s already: choose another --name, or continue it with plimsoll run --detach --resume %s", r.Name, r.Name)
	} else if !apierrors.IsNotFound(err) {
		return err
	}
	return h.launch(ctx, r.Name, h.newJob(ctx, r), r.Study)
}

// launch makes a Job, suspended, and its Secret, and then starts the Job. The Secret
// belongs to the Job and is deleted with it.
func (h Home) launch(ctx context.Context, run string, job *batchv1.Job, study []byte) error {
	if err := h.Client.Apply(ctx, job); err != nil {
		return err
	}
	err := h.Client.Apply(ctx, h.secret(job, study))
	if err == nil {
		*job.Spec.Suspend = false
		err = h.Client.Apply(ctx, fresh(job))
	}
	if err == nil {
		err = h.comesUp(ctx, run, job)
	}
	if err == nil {
		return nil
	}
	patient := context.WithoutCancel(ctx)
	return errors.Join(err, h.Client.Delete(patient, job, -1), h.Client.AwaitGone(patient, job))
}

// comesUp waits until the campaign's container runs, or has ended.
func (h Home) comesUp(ctx context.Context, run string, job *batchv1.Job) error {
	pods, err := h.Client.Follow(ctx, h.Namespace, podsOf(job))
	if err != nil {
		return err
	}
	defer pods.Close()
	_, err = h.nextPod(ctx, pods, run, "")
	return err
}

// ready reports which of the chart's objects are missing.
func (h Home) ready(ctx context.Context) error {
	_, err := api.Of[corev1.ServiceAccount](h.Client, h.Namespace).Get(ctx, h.Account)
	if err == nil {
		_, err = api.Of[corev1.PersistentVolumeClaim](h.Client, h.Namespace).Get(ctx, h.Claim)
	}
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("namespace %s is not prepared for detached runs: %w; install the chart there: helm install plimsoll deploy/helm/plimsoll --namespace %s --create-namespace", h.Namespace, err, h.Namespace)
	}
	return api.Explained(err)
}

func (h Home) job(ctx context.Context, run string) (*batchv1.Job, error) {
	return api.Of[batchv1.Job](h.Client, h.Namespace).Get(ctx, jobName(run))
}

// known is the Job of a run, with an error for people.
func (h Home) known(ctx context.Context, run string) (*batchv1.Job, error) {
	job, err := h.job(ctx, run)
	switch {
	case apierrors.IsNotFound(err):
		return nil, fmt.Errorf("namespace %s has no detached run %s; plimsoll attach lists those that there are", h.Namespace, run)
	case err != nil:
		return nil, api.Explained(err)
	case job.Labels[api.ManagedBy] != api.Manager || job.Labels[api.RoleLabel] != campaignRole:
		return nil, fmt.Errorf("job %s in namespace %s is not Plimsoll's", job.Name, h.Namespace)
	}
	return job, nil
}

// Resume continues a campaign that was stopped or has ended, with new flags of `plimsoll
// run --resume`.
func (h Home) Resume(ctx context.Context, run string, flags []string) error {
	job, err := h.known(ctx, run)
	if err != nil {
		return err
	}
	if stateOf(job) == Running {
		return fmt.Errorf("run %s: %w; follow it with plimsoll attach %s", run, ErrInProgress, run)
	}
	secret, err := api.Of[corev1.Secret](h.Client, h.Namespace).Get(ctx, job.Name)
	if err != nil {
		return fmt.Errorf("find the study of run %s: %w", run, api.Explained(err))
	}
	if err := errors.Join(h.Client.Delete(ctx, job, -1), h.Client.AwaitGone(ctx, job)); err != nil {
		return err
	}
	h = h.like(job)
	return h.launch(ctx, run, h.newJob(ctx, Run{Name: run, Flags: flags}), secret.Data[study])
}

// like is a home as a Job was made with.
func (h Home) like(job *batchv1.Job) Home {
	pod := job.Spec.Template.Spec
	h.Account, h.Image = pod.ServiceAccountName, pod.Containers[0].Image
	for _, v := range pod.Volumes {
		if v.Name == runsVolume && v.PersistentVolumeClaim != nil {
			h.Claim = v.PersistentVolumeClaim.ClaimName
		}
	}
	if len(pod.ImagePullSecrets) > 0 {
		h.PullSecret = pod.ImagePullSecrets[0].Name
	}
	return h
}

// Stop interrupts a campaign, as Ctrl-C does in a terminal: everything that it made is
// taken down, and finished trials stay.
func (h Home) Stop(ctx context.Context, run string) error {
	job, err := h.known(ctx, run)
	if err != nil {
		return err
	}
	if stateOf(job) != Running {
		return fmt.Errorf("run %s is not in progress: it is %s", run, stateOf(job))
	}
	patch := []byte(`{"spec":{"suspend":true}}`)
	if err := api.Of[batchv1.Job](h.Client, h.Namespace).Merge(ctx, job.Name, patch); err != nil {
		return fmt.Errorf("stop run %s: %w", run, api.Explained(err))
	}
	return h.awaitNoPods(ctx, job)
}

func (h Home) awaitNoPods(ctx context.Context, job *batchv1.Job) error {
	pods, err := h.Client.Follow(ctx, h.Namespace, podsOf(job))
	if err != nil {
		return err
	}
	defer pods.Close()
	for _, pod := range pods.All() {
		if api.Ended(pod, container) != nil {
			continue
		}
		if err := pods.AwaitGone(ctx, pod.Name, pod.UID); err != nil {
			return err
		}
	}
	return nil
}

// State is how far a detached run has come.
type State string

// States of a detached run.
const (
	Running State = "running"
	Stopped State = "stopped"
	Done    State = "done"
	Failed  State = "failed"
)

func stateOf(job *batchv1.Job) State {
	for _, c := range job.Status.Conditions {
		if c.Status != corev1.ConditionTrue {
			continue
		}
		switch c.Type {
		case batchv1.JobComplete, batchv1.JobSuccessCriteriaMet:
			return Done
		case batchv1.JobFailed, batchv1.JobFailureTarget:
			return Failed
		}
	}
	if job.Spec.Suspend != nil && *job.Spec.Suspend {
		return Stopped
	}
	return Running
}

// Listed is a detached run.
type Listed struct {
	Run   string `json:"run"`
	State State  `json:"state"`
}

// List lists the detached runs of the namespace.
func (h Home) List(ctx context.Context) ([]Listed, error) {
	jobs, err := api.Of[batchv1.Job](h.Client, h.Namespace).List(ctx, metav1.ListOptions{LabelSelector: selector(campaignRole)})
	if err != nil {
		return nil, fmt.Errorf("list the detached runs of namespace %s: %w", h.Namespace, api.Explained(err))
	}
	all := []Listed{}
	for _, job := range jobs {
		all = append(all, Listed{Run: job.Annotations[nameAnnotation], State: stateOf(&job)})
	}
	return all, nil
}

// Remove removes the cluster objects of a run that is not in progress, except its run
// directory, and waits until they are gone.
func (h Home) Remove(ctx context.Context, run string) error {
	job, err := h.known(ctx, run)
	if err != nil {
		return err
	}
	if stateOf(job) == Running {
		return fmt.Errorf("run %s: %w", run, ErrInProgress)
	}
	return errors.Join(h.Client.Delete(ctx, job, -1), h.Client.AwaitGone(ctx, job))
}

// dir is a run's directory in the cluster.
func dir(run string) string { return path.Join(runsDir, run) }
