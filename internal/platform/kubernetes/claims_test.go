package kubernetes_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/storage"
)

// Claims of a class that clones, and of one that does not.
func TestClaims(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	p, _ := b.run(t, fmt.Sprintf("claims-%d", os.Getpid()))
	ctx := t.Context()
	for class, clones := range map[string]bool{"fast": true, "slow": false} {
		t.Run(class, func(t *testing.T) {
			is, err := p.ClaimClass(ctx, class)
			if err != nil || is.Name != class || is.Waits == clones || is.Provisioner == "" {
				t.Fatalf("%+v, %v", is, err)
			}
			ok, why, err := p.TryClone(ctx, class, false)
			if err != nil || ok != clones || ok != (why == "") {
				t.Errorf("clones: %v, because of %q, %v", ok, why, err)
			}
			if !clones {
				mention(t, fmt.Errorf("%s", why), "cannot clone volumes")
			}
		})
	}
	golden, err := p.MakeClaim(ctx, storage.PlatformClaim{Claim: storage.Claim{Name: "golden", Bytes: 1 << 20}, Class: "fast"})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(ctx, shell("fill", `mkdir -m 700 "${VOLUME}/data" && echo hello > "${VOLUME}/data/greeting"`), golden); err != nil {
		t.Fatal(err)
	}
	v, err := p.MakeClaim(ctx, storage.PlatformClaim{Claim: storage.Claim{Name: "one", Bytes: 1 << 20}, Class: "fast", From: &golden})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(ctx, shell("look", `test "$(cat "${VOLUME}/data/greeting")" = hello`), v); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := p.DeleteClaim(ctx, v); err != nil {
			t.Error(err)
		}
	}
	if _, err := api.Of[corev1.PersistentVolumeClaim](b.client, p.Namespace()).Get(ctx, v.Claim); !apierrors.IsNotFound(err) {
		t.Errorf("after its deletion: %v", err)
	}
	_, err = p.ClaimClass(ctx, "none-such")
	mention(t, err, "no StorageClass none-such", "fast, slow")
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := p.MakeClaim(cancelled, storage.PlatformClaim{Claim: storage.Claim{Name: "two", Bytes: 1 << 20}, Class: "fast"}); err == nil {
		t.Error("a claim was made although it was cancelled")
	}
}
