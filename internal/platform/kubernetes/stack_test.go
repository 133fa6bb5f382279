package kubernetes_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/app/nginx"
	"plimsoll/internal/app/phpfpm"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/storage"
)

// Servers of an instance find each other by name, also one that was killed and is
// back.
func TestServersFindEachOther(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	if b.Images["nginx"] == "" || b.Images["php-fpm"] == "" {
		t.Skip("nginx and PHP-FPM are not installed on this machine, so that there are no images of them")
	}
	p := b.open(t)
	server := func(e app.Engine, c app.Config) app.Server {
		in, err := e.Find(t.Context(), "", false)
		if err != nil {
			t.Fatal(err)
		}
		c.Users, c.AdminPassword = 4, "secret"
		s := e.Server(in, c)
		s.Image = b.Images[e.Name()]
		return s
	}
	pages := server(phpfpm.Engine{}, app.Config{Name: "pages-000", Content: map[string]string{"page.php": `<?php echo 6 * 7;`}})
	below := start(t, p, pages, storage.Volume{})
	peer := below.Endpoint()
	web := start(t, p, server(nginx.Engine{}, app.Config{Name: "web-000", Peers: []endpoint.Endpoint{peer}}), storage.Volume{})
	ask := func() error { return get(t.Context(), "http://"+web.(process).Asked().Address+"/page.php", "42") }
	if err := ask(); err != nil {
		t.Fatal(err)
	}
	if r, err := (nginx.Engine{}).Read(t.Context(), web.(process).Asked()); err != nil || r.Capacity == 0 {
		t.Errorf("its gauge: %+v, %v", r, err)
	}
	if err := below.Kill(); err != nil {
		t.Fatal(err)
	}
	below = start(t, p, pages, storage.Volume{})
	if below.Endpoint().Address != peer.Address {
		t.Errorf("it came back at %s, and was at %s", below.Endpoint().Address, peer.Address)
	}
	var err error
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Second) { // names change with a delay
		if err = ask(); err == nil {
			return
		}
	}
	t.Errorf("after it came back: %v", err)
}

// get asks for a page.
func get(ctx context.Context, url, want string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && string(text) != want {
		err = fmt.Errorf("%s: %s says %q instead of %q", answer.Status, url, text, want)
	}
	return err
}
