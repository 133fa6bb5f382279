package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/platform/kubernetes/pod"
	"plimsoll/internal/storage"
)

// trialBytes is the size of the claims with which cloning is tried: many drivers have
// none that is smaller.
const trialBytes = 1 << 30

// tryLimit is how long each step of a try may take: on a busy cluster a volume and a pod take minutes.
const tryLimit = 10 * time.Minute

// errRefused is what the cluster says when it does not clone.
var errRefused = errors.New("it was refused")

// TryClone implements storage.Claims. It writes this program to a volume and runs it from
// the clone.
func (k *Kubernetes) TryClone(ctx context.Context, class string, bySnapshot bool) (ok bool, why string, err error) {
	from, err := k.MakeClaim(ctx, storage.PlatformClaim{Claim: storage.Claim{Name: "try-" + class, Bytes: trialBytes}, Class: class})
	if err != nil {
		return false, "", err
	}
	patient := context.WithoutCancel(ctx)
	defer func() { err = errors.Join(err, k.DeleteClaim(patient, from)) }()
	if err := k.runOn(ctx, "try-write", from, nil); err != nil {
		return false, "", fmt.Errorf("write to a small claim of StorageClass %s: %w", class, err)
	}
	err = k.runClone(ctx, from, class, bySnapshot)
	if err != nil && ctx.Err() == nil {
		return false, oneLine(err), nil
	}
	return err == nil, "", err
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// runClone makes a clone of a claim that contains this program, and runs it from there.
func (k *Kubernetes) runClone(ctx context.Context, from storage.Volume, class string, bySnapshot bool) (err error) {
	c := storage.PlatformClaim{Claim: storage.Claim{Name: "try-clone-" + class, Bytes: trialBytes}, Class: class, From: &from, BySnapshot: bySnapshot}
	v := k.volume(c)
	is, err := k.ClaimClass(ctx, class)
	if err != nil {
		return err
	}
	claim := k.claim(v, c)
	if claim.Spec.DataSource, err = k.source(ctx, from, bySnapshot, is); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.DeleteClaim(context.WithoutCancel(ctx), v)) }()
	if err := k.client.Apply(ctx, claim); err != nil {
		return err
	}
	return k.runOn(ctx, "try-read", v, claim)
}

// runOn runs this program with a volume: without a claim it installs itself there,
// else it runs from there, unless the claim is refused.
func (k *Kubernetes) runOn(ctx context.Context, name string, v storage.Volume, claim *corev1.PersistentVolumeClaim) error {
	v.Path = pod.InstallDirectory
	main := corev1.Container{Name: name, Image: k.parameters.ownImage(), Args: []string{"pod", "install"}}
	if claim != nil {
		main.Command, main.Args = []string{pod.Installed}, []string{"version"}
	}
	spec := corev1.PodSpec{}
	if err := claimed(&spec, &main, v); err != nil {
		return err
	}
	spec.Containers = []corev1.Container{main}
	k.arrange(&spec, k.parameters.Placement.Application, taskRole)
	made := k.newPod(k.name(name, v.Claim), taskRole, name, spec)
	defer func() { // the claim goes only after it
		patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), slack)
		defer cancel()
		_ = k.client.Delete(patient, made, 0)
		_ = k.pods.AwaitGone(patient, made.Name, made.UID)
	}()
	if err := k.client.Apply(ctx, made); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, tryLimit)
	defer cancel()
	return k.awaitSuccess(ctx, made, claim)
}

// awaitSuccess waits until a pod has done its work, or its claim is refused.
func (k *Kubernetes) awaitSuccess(ctx context.Context, made *corev1.Pod, claim *corev1.PersistentVolumeClaim) error {
	for {
		now := k.pods.Get(made.Name)
		switch {
		case now == nil:
		case now.Status.Phase == corev1.PodSucceeded:
			return nil
		case now.Status.Phase == corev1.PodFailed:
			return fmt.Errorf("pod %s failed%s", now.Name, k.client.Why(ctx, now))
		}
		if why := k.refusal(ctx, claim); why != "" {
			return fmt.Errorf("%w: %s", errRefused, why)
		}
		if !pause(ctx, askAgain) {
			why := ""
			if now != nil {
				why = k.client.Why(context.WithoutCancel(ctx), now)
			}
			return fmt.Errorf("pod %s did not end: %w%s", made.Name, ctx.Err(), why)
		}
	}
}

// refusal is why a claim gets no volume, if its provisioner has said so.
func (k *Kubernetes) refusal(ctx context.Context, claim *corev1.PersistentVolumeClaim) string {
	if claim == nil {
		return ""
	}
	events := k.client.Warnings(ctx, claim)
	at := slices.IndexFunc(events, func(text string) bool { return strings.HasPrefix(text, api.ProvisioningFailed+":") })
	if at < 0 {
		return ""
	}
	return events[at]
}
