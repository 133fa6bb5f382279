package haproxy

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
)

// Settings of a study.
const (
	balance  = "balance"  // how a gateway is chosen for a request
	threads  = "nbthread" // that work at once
	interval = "inter"    // between two health checks of a gateway
)

// settings lists the settings that a study may make.
var settings = map[string]app.ValueCheck{
	balance:  app.Choice("roundrobin", "leastconn", "random", "first"),
	threads:  app.Whole(1, 64),
	interval: wrongTime,
}

// leastMemory is the least in which a balancer starts, in bytes.
const leastMemory = 32 * mib

// CheckConfig implements app.ConfigChecker by the list above.
func (e Engine) CheckConfig(_ context.Context, in app.Installation, c app.Config) ([]describe.Problem, error) {
	return app.JudgeListed(in, c, "HAProxy", leastMemory, e.Outward(), settings)
}

func wrongTime(value string) string {
	for _, unit := range []string{"ms", "s"} { // in this order: ms ends with s
		if digits, ok := strings.CutSuffix(value, unit); ok {
			if n, err := strconv.Atoi(digits); err == nil && n >= 1 {
				return ""
			}
			break
		}
	}
	return fmt.Sprintf("%q is not a time such as 500ms or 2s", value)
}

// Outward implements app.ConfigChecker: where it listens and whom it passes requests on to
// is ours, and what runs or loads something else is refused.
func (Engine) Outward() app.OutwardSettings {
	return app.OutwardSettings{
		Owned:  []string{"bind", "server", "mode", "stats", "timeout", "option", "retries", "maxconn", "log", "daemon"},
		Powers: []string{"external-check", "insecure-*", "lua-*", "program", "user", "group", "uid", "gid", "chroot", "peers", "setenv", "presetenv", "51degrees-*", "wurfl-*"},
	}
}

// statusPath is where the balancer counts.
const statusPath = "/plimsoll-status"

// pool is the name of the gateways together.
const pool = "gateways"

// statusPassword is the password of the statistics page: a part of a hash of the users'
// secret key, which does not reveal it.
func statusPassword(secret string) string {
	sum := sha256.Sum256([]byte("status of the balancer " + secret))
	return hex.EncodeToString(sum[:16])
}

// configuration is haproxy.cfg. No request is sent twice, and none is moved to another
// gateway once it was sent: users see what failed. A gateway that fails its checks gets
// none until it answers again.
func configuration(c app.Config) string {
	_, _, secret := behind(c)
	most := 2*c.Users + 64
	var b strings.Builder
	fmt.Fprintf(&b, "global\n\tmaxconn %d\n\tnbthread %s\n", most, cmp.Or(c.Settings[threads], strconv.Itoa(max(1, int(c.Limits.CPU)))))
	fmt.Fprintf(&b, `defaults
	mode http
	maxconn %d
	retries 0
	timeout connect 5s
	timeout client 1h
	timeout server 1h
	timeout queue 1h
	timeout http-keep-alive 1h
	timeout http-request 1h
	timeout check 5s
frontend users
	bind ${HOST}:${PORT}
	stats enable
	stats uri %s
	stats realm plimsoll
	stats auth %s:%s
	default_backend %s
backend %[5]s
	balance %s
	option httpchk GET /
	http-check expect status 200-499
	default-server check inter %s fall 2 rise 1
`, most, statusPath, app.Admin, statusPassword(secret), pool, cmp.Or(c.Settings[balance], "roundrobin"), cmp.Or(c.Settings[interval], "1s"))
	for n, address := range addresses(c) {
		fmt.Fprintf(&b, "\tserver gateway-%d %s\n", n+1, address)
	}
	return b.String()
}

// addresses returns the addresses of the gateways (host:port); none in a plan.
func addresses(c app.Config) (all []string) {
	for _, p := range c.Peers {
		for _, of := range endpoint.StoreOf(p).URLs {
			if u, err := url.Parse(of); err == nil && u.Host != "" {
				all = append(all, u.Host)
			}
		}
	}
	return all
}
