package e2e

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll/internal/app/nginx"
	"plimsoll/internal/app/phpfpm"
	"plimsoll/internal/app/postgres"
	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/result"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore"
)

const targetStudy = `study: their-shop
workload: {name: dvdstore, parameters: {tier: web, size: 1MB, version: %d}}
target: %s
storage:
  theirs: {class: external, text: Whatever the site is on}
ladder: [1]
load: {users: 3%s}
phases: {warmup: 1s, measure: 3s, ramp_rate: 0}
objectives: [p95 <= 30s]
`

// startShop starts a loaded shop of version 2 behind a web server, without what
// Plimsoll would add, and gives its URL.
func startShop(t *testing.T) string {
	p := dvdstore.Workload{}.Defaults().(*dvdstore.Parameters)
	p.Size, p.Tier = "1MB", dvdstore.Web
	for _, err := range []error{found(nginx.Engine{}.Find(t.Context(), "", false)), found(phpfpm.Engine{}.Find(t.Context(), "", false))} {
		if err != nil {
			t.Skip(err)
		}
	}
	shop := workloadtest.Start(t, postgres.Engine{}, "db", dvdstore.Workload{}.Dataset(p, workload.Kinds{"db": postgres.Engine{}.Kind()}, 1))
	if err := (dvdstore.Workload{}).Prepare(t.Context(), shop.Admin(), p, 1, func(float64) {}); err != nil {
		t.Fatal(err)
	}
	content := map[string]string{}
	for _, version := range []int{2, 3} { // the pages of version 3 find the database of version 2
		p.Version = version
		for path, text := range (dvdstore.Workload{}).Roles(p)[1].Content {
			content[path] = text
		}
	}
	shop.Add(t, phpfpm.Engine{}, workload.Role{Name: "php", After: []string{"db"}, Content: content}, map[string]string{"opcache.file_update_protection": "0"})
	shop.Add(t, nginx.Engine{}, workload.Role{Name: "web", After: []string{"php"}}, nil)
	return front(t, shop.Target().Endpoint("web"))
}

// front is where an existing site would be reached from: web servers of ours listen on a
// socket.
func front(t *testing.T, web endpoint.Endpoint) string {
	dialer := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, web.Network, web.Address)
	}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "shop"})
	proxy.Transport = &http.Transport{DialContext: dialer, MaxIdleConnsPerHost: 16}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL
}

func found[T any](_ T, err error) error { return err }

// An existing site is driven, in the closed and in the open loop, and nothing else is
// done to it.
func TestTarget(t *testing.T) {
	t.Parallel()
	shop := startShop(t)
	s := newSite(t)
	for name, rate := range map[string]string{"closed": "", "open": ", rate: 10"} {
		path := s.write(name+".yaml", fmt.Sprintf(targetStudy, 2, shop+"/ds2", rate))
		_, text := s.plimsoll(0, "run", path, "--name", name, "--min-grade", "F")
		trial := s.trial(name, "theirs/1/1")
		whole := trial.Whole()
		if trial.Status != result.Passed || whole.Count == 0 || len(whole.Errors) > 0 || trial.OpenLoop != (rate != "") {
			t.Fatalf("%s: %s, %d orders, %v errors\n%s", name, trial.Status, whole.Count, whole.Errors, text)
		}
		if trial.Audit != nil || trial.Unaudited != "the site is not ours" || trial.Servers[0].Source != "existing" || trial.Servers[0].Role != "web" {
			t.Errorf("%s: audit %+v, %q, servers %+v", name, trial.Audit, trial.Unaudited, trial.Servers)
		}
		out, _ := s.plimsoll(0, "report", "runs/"+name, "--format", "markdown")
		contains(t, out, "no audit: the site is not ours")
	}
}

// A site that cannot be driven ends the run early, with the error of the site.
func TestBadTargets(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.RedirectHandler("http://else.example/shop", http.StatusMovedPermanently))
	defer elsewhere.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + closed.Addr().String()
	closed.Close()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<html><head><title>It works!</title></head></html>")
	}))
	defer other.Close()
	encrypted := httptest.NewUnstartedServer(http.NotFoundHandler())
	encrypted.Config.ErrorLog = log.New(io.Discard, "", 0)
	encrypted.StartTLS()
	defer encrypted.Close()
	shop := startShop(t)
	for name, c := range map[string]struct {
		version   int
		url, says string
	}{
		"redirect":      {2, elsewhere.URL, `sends users to "http://else.example/shop"`},
		"nobody":        {2, nobody, "refused"},
		"another":       {2, other.URL + "/ds2", "It works!"},
		"certificate":   {2, encrypted.URL, "certificate"},
		"wrong-version": {3, shop + "/ds3", "the server answered 500: The database does not have the schema of this application, or of this version of it"},
		"no-pages":      {2, shop + "/elsewhere", ": the server answered 404"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			path := s.write("bad.yaml", strings.Replace(fmt.Sprintf(targetStudy, c.version, c.url, ""), "measure: 3s", "measure: 10m", 1))
			s.plimsoll(4, "run", path, "--name", "bad", "--min-grade", "F")
			trial := s.trial("bad", "theirs/1/1")
			if trial.Status != result.Failed || trial.Failure.Stage != "drive" {
				t.Fatalf("%s, %+v", trial.Status, trial.Failure)
			}
			contains(t, trial.Failure.Cause, c.says)
		})
	}
}

// A site that no longer answers when the measured phase ends does not keep the
// driver: the orders that wait are counted.
func TestSiteThatStopsToAnswer(t *testing.T) {
	t.Parallel()
	stopped, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	hang := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		once.Do(func() { time.AfterFunc(2*time.Second, func() { close(stopped) }) })
		select {
		case <-stopped:
			<-release
		default:
			fmt.Fprint(w, `<html><a href="dsbrowse.php">Browse</a><input name="customerid" value="1"><input name="orderid" value="2"></html>`)
		}
	}))
	defer hang.Close()
	defer close(release)
	s := newSite(t)
	s.plimsoll(0, "run", s.write("hang.yaml", fmt.Sprintf(targetStudy, 2, hang.URL, "")), "--name", "hang", "--min-grade", "F")
	trial := s.trial("hang", "theirs/1/1")
	if whole := trial.Whole(); trial.Status != result.Passed || whole.Count == 0 || whole.Waiting != 3 {
		t.Errorf("%s, %d orders, %d waited", trial.Status, whole.Count, whole.Waiting)
	}
}
