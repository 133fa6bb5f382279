package study

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"plimsoll/internal/text/sanitize"
)

// Target lists existing web sites by their URLs, one for each instance:
// http://shop.example/ds3. A study writes one as a string, or several as a list.
type Target []string

// Site is where a web site is.
type Site struct {
	Address   string // host:port
	Path      string // where its pages begin: /ds3, or / for all of it
	Encrypted bool   // https
}

// ParseSite takes the URL of a site apart. An error does not repeat it: it may hold a
// password, as a user's or in a query, or what was meant as one.
func ParseSite(text string) (s Site, err error) {
	u, err := url.Parse(text)
	switch {
	case err == nil && u.User != nil, strings.Contains(text, "@") && (err != nil || u.Host == ""):
		return s, errors.New("the URL has a user name: a target has no credentials")
	case err != nil:
		return s, errors.New("this is no URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return s, errors.New("the URL does not begin with http:// or https://")
	case u.Hostname() == "":
		return s, errors.New("the URL names no host")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(text, "#"):
		return s, fmt.Errorf("the URL of %s has a query or a fragment: only host and path are possible", u.Host)
	}
	s.Encrypted = u.Scheme == "https"
	port := u.Port()
	switch {
	case port == "" && s.Encrypted:
		port = "443"
	case port == "":
		port = "80"
	}
	s.Address, s.Path = net.JoinHostPort(u.Hostname(), port), u.EscapedPath()
	if s.Path == "" {
		s.Path = "/"
	}
	return s, nil
}

// withoutUser returns an address for messages. Everything before an @ may be a password.
func withoutUser(address string) string {
	return sanitize.Masked(address[strings.LastIndex(address, "@")+1:])
}

// target decodes one URL or a list of them.
func (d *decoder) target(n *node, into *Target, path string) {
	urls := []*node{n}
	if n.form == sequence {
		urls = n.items
	}
	for i, u := range urls {
		if u.form != plain && u.form != quoted {
			d.problem(u, path, "found "+u.describe(), "a URL, or a list of them: http://shop.example/ds3")
			continue
		}
		*into = append(*into, u.text)
		if _, err := ParseSite(u.text); err != nil {
			d.problem(u, fmt.Sprintf("%s.%d", path, i), err.Error(), "such as http://shop.example/ds3")
		}
	}
}

// sites checks a study of existing web sites.
func (c *checker) sites(needed []Role) {
	s := c.study
	site := false
	for _, r := range needed {
		site = site || r.Site
	}
	if !site {
		c.wrong("target", fmt.Sprintf("workload %s with these parameters talks to no web site", s.Workload.Name), "parameters with which it does, such as tier: web")
	}
	for _, path := range []string{"engine", "stack", "deployment"} {
		if c.given(path) {
			c.wrong(path, "a target is an existing site, behind which nothing is started", "only one of target and "+path)
		}
	}
	seen := map[string]bool{}
	for _, u := range s.Target {
		if _, err := ParseSite(u); err == nil && seen[u] {
			c.wrong("target", u+" is listed twice", "one site for each instance")
		}
		seen[u] = true
	}
	if most := c.most(); most > len(s.Target) && len(s.Target) > 0 {
		c.wrong("target", fmt.Sprintf("%d sites are listed, but the ladder goes up to %d instances", len(s.Target), most), "one site for each instance; or of: users in the ladder")
	}
	for _, l := range s.AllEvents() {
		c.wrong(l.path()+".do", "the sites are existing ones", "no "+l.List)
	}
}
