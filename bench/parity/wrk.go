package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"plimsoll/bench/stand"
	"plimsoll/internal/app"
	"plimsoll/internal/app/nginx"
	"plimsoll/internal/app/phpfpm"
	"plimsoll/internal/result"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload/driver"
	"plimsoll/internal/workload/dvdstore"
	"plimsoll/internal/workload/dvdstore/data"
)

// webCPU is how much more CPU a page may take than with wrk, as a share. wrk does not look at the
// pages that it gets.
const webCPU = 0.5

// runWrk compares users of the shop's pages with wrk, which asks for the same pages
// as often as they do: a login, three searches and a purchase.
func runWrk(ctx context.Context, s settings, t *table) (err error) {
	var all []comparison
	site := &webBench{length: s.time}
	for _, users := range []int{1, 8, 32} {
		name := fmt.Sprintf("wrk, pages of DVD Store 2, %d users", users)
		if !t.wants(name) {
			continue
		}
		all = append(all, comparison{
			name: name, cpu: webCPU, cpuOnly: true,
			own:  func(ctx context.Context) (sample, error) { return site.own(ctx, users) },
			peer: func(ctx context.Context) (sample, error) { return site.wrk(ctx, users) },
		})
	}
	if len(all) == 0 {
		return nil
	}
	if err := s.serve(func() error { return site.start(ctx, cmp.Or(s.dir, inMemory)) }); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, site.server.Close(ctx), s.join()) }()
	for _, c := range all {
		if err := t.compare(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// webBench is a shop behind a web server.
type webBench struct {
	server *stand.Stand
	length time.Duration
	script string // of wrk
}

// overTCP is a web server that wrk reaches, too, which knows no sockets of Unix.
type overTCP struct{ nginx.Engine }

// Server implements app.Engine.
func (e overTCP) Server(in app.Installation, c app.Config) app.Server {
	s := e.Engine.Server(in, c)
	s.Socket, s.SocketPrefix = "", ""
	s.Env = append(s.Env, "PORT=${PORT}") // servers get a port where something of theirs mentions it
	return s
}

func shopParameters() *dvdstore.Parameters {
	p := dvdstore.Workload{}.Defaults().(*dvdstore.Parameters)
	p.Tier, p.PctNewCustomers = dvdstore.Web, 0
	return p
}

func (b *webBench) start(ctx context.Context, dir string) (err error) {
	p := shopParameters()
	if b.server, err = stand.Start(ctx, dir, "postgres", 64, dvdstore.Workload{}); err != nil {
		return err
	}
	err = b.server.Load(ctx, p)
	roles := dvdstore.Workload{}.Roles(p)
	if err == nil {
		err = b.server.Add(ctx, phpfpm.Engine{}, roles[1], map[string]string{"pm.max_children": "8", "opcache.file_update_protection": "0"})
	}
	if err == nil {
		err = b.server.Add(ctx, overTCP{}, roles[2], nil)
	}
	if err == nil {
		b.script = filepath.Join(b.server.Dir, "pages.lua")
		err = os.WriteFile(b.script, []byte(luaScript(p)), 0o600)
	}
	if err != nil {
		return errors.Join(err, b.server.Close(ctx))
	}
	return nil
}

// luaScript has wrk ask for so many prepared pages in turn.
func luaScript(p *dvdstore.Parameters) string {
	const sessions = 500
	size, _ := data.ParseSize(p.Size) // a default is possible
	random := data.NewRand(1)
	var b bytes.Buffer
	page := func(name string, query url.Values) {
		fmt.Fprintf(&b, "wrk.format('GET', '/ds2/%s.php?%s'),\n", name, query.Encode())
	}
	b.WriteString("local all\nlocal at = 0\nfunction init(args)\nall = {\n")
	for range sessions {
		customer := strconv.FormatInt(random.Between(1, size.Customers), 10)
		page("dslogin", url.Values{"username": {data.UserPrefix + customer}, "password": {data.Password}})
		_, family := data.Actor(random.N(data.Actors))
		for kind, value := range map[string]string{
			"category": strconv.FormatInt(random.Between(1, data.Categories), 10), "actor": family, "title": data.TitleWord(random.N(data.TitleWords)),
		} {
			page("dsbrowse", url.Values{"browsetype": {kind}, "browse_" + kind: {value}, "limit_num": {"5"}, "customerid": {customer}})
		}
		cart := url.Values{"confirmpurchase": {"yes"}, "customerid": {customer}}
		for range p.NLineItems {
			cart.Add("item[]", strconv.FormatInt(data.OrderedProduct(&random, size.Products), 10))
			cart.Add("quan[]", strconv.FormatInt(random.Between(1, data.MaxQuantity), 10))
		}
		page("dspurchase", cart)
	}
	b.WriteString("}\nend\nfunction request()\nat = at % #all + 1\nreturn all[at]\nend\n")
	return b.String()
}

// own runs one turn of the driver; CPU and pages cover the whole process.
func (b *webBench) own(ctx context.Context, users int) (s sample, err error) {
	parameters, err := json.Marshal(shopParameters())
	if err != nil {
		return s, err
	}
	pages, failed := int64(0), 0
	job := driver.Job{Parameters: parameters, Users: users, Measure: unit.Duration(b.length)}
	cpu, err := b.server.Drive(ctx, job, func(r result.Record) error {
		if r.Kind == result.KindOperation && r.Operation != "order" {
			pages += r.Count
			failed += len(r.Errors)
		}
		return nil
	})
	if err == nil && (pages == 0 || failed > 0) {
		err = fmt.Errorf("%d pages came, with errors in %d seconds", pages, failed)
	}
	return b.sample(float64(pages), cpu), err
}

// sample is of so many pages. wrk's percentiles are of other pages than ours of an
// order, and are not compared.
func (b *webBench) sample(pages float64, cpu time.Duration) sample {
	none := math.NaN()
	return sample{throughput: pages / b.length.Seconds(), p50: none, p95: none, p99: none, cpu: cpu.Seconds() / pages}
}

var wrkLine = regexp.MustCompile(`(\d+) requests in `)

// wrk runs one turn of wrk.
func (b *webBench) wrk(ctx context.Context, users int) (sample, error) {
	pages, cpu, err := wrkRequests(ctx, users, b.length, b.script, "http://"+b.server.Target.Endpoint("web").Address)
	return b.sample(pages, cpu), err
}

// wrkRequests has wrk send what its script says to a server, and gives how many requests it
// sent and the CPU that they took. All must be answered well.
func wrkRequests(ctx context.Context, users int, length time.Duration, script, url string) (requests float64, cpu time.Duration, err error) {
	c := exec.CommandContext(ctx, "wrk", "--threads", "1", "--connections", strconv.Itoa(users), "--timeout", "30s",
		"--duration", fmt.Sprintf("%.0fs", length.Seconds()), "--script", script, url)
	out, err := c.CombinedOutput()
	if err != nil {
		return 0, 0, fmt.Errorf("wrk (apt-get install wrk): %w: %s", err, out)
	}
	found := wrkLine.FindSubmatch(out)
	if found == nil || bytes.Contains(out, []byte("Non-2xx")) || bytes.Contains(out, []byte("Socket errors")) {
		return 0, 0, fmt.Errorf("wrk reports no answers, or errors: %s", out)
	}
	requests, _ = strconv.ParseFloat(string(found[1]), 64)
	return requests, c.ProcessState.UserTime() + c.ProcessState.SystemTime(), nil
}
