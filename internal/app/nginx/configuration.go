package nginx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
)

// Settings of a study that are not simply directives of the block http.
const (
	workersSetting     = "worker_processes"
	connectionsSetting = "worker_connections"
	tlsSetting         = "tls" // on or off; ours, not nginx's
)

// mainSettings and eventSettings are outside the block http.
var (
	mainSettings  = []string{workersSetting, "worker_cpu_affinity", "worker_priority", "worker_rlimit_nofile", "timer_resolution"}
	eventSettings = []string{connectionsSetting, "accept_mutex", "accept_mutex_delay", "multi_accept", "use"}
)

// encrypts reports whether users connect by TLS.
func encrypts(c app.Config) bool { return c.Settings[tlsSetting] == "on" }

// workers is one for each whole core of the limit.
func workers(c app.Config) int {
	if n, err := strconv.Atoi(c.Settings[workersSetting]); err == nil && n > 0 {
		return n
	}
	return max(1, int(c.Limits.CPU))
}

// connections of a worker: each user may have one, and each of these one more to an
// application server.
func connections(c app.Config) int { return max(512, 2*c.Users+64) }

// ownMain are directives without which the server would not be found, write elsewhere,
// or tell nothing. Of errors only its own are logged: a user sees each of the
// application server's, and there may be thousands a second.
func ownMain() []app.Setting {
	return []app.Setting{
		{"daemon", "off"},
		{"pid", "${RUNTIME}/nginx.pid"},
		{"lock_file", "${RUNTIME}/nginx.lock"},
		{"error_log", "stderr crit"},
	}
}

// ownHTTP are our settings in the block http.
func ownHTTP() []app.Setting {
	return []app.Setting{
		{"access_log", "off"},
		{"client_body_temp_path", "${RUNTIME}/body"},
		{"fastcgi_temp_path", "${RUNTIME}/fastcgi"},
		{"proxy_temp_path", "${RUNTIME}/proxy"},
		{"scgi_temp_path", "${RUNTIME}/scgi"},
		{"uwsgi_temp_path", "${RUNTIME}/uwsgi"},
	}
}

// configuration is nginx.conf. A setting of the study takes the place of a default.
func configuration(c app.Config) string {
	var b strings.Builder
	write(&b, "", ownMain())
	write(&b, "", chosen(c, mainSettings, []app.Setting{
		{workersSetting, fmt.Sprint(workers(c))},
		{"worker_rlimit_nofile", fmt.Sprint(2 * connections(c))},
	}))
	b.WriteString("events {\n")
	write(&b, "\t", chosen(c, eventSettings, []app.Setting{{connectionsSetting, fmt.Sprint(connections(c))}}))
	b.WriteString("}\nhttp {\n")
	write(&b, "\t", ownHTTP())
	write(&b, "\t", chosen(c, httpSettings(c), conduct()))
	upstream(&b, c)
	shop(&b, c)
	b.WriteString("}\n")
	return b.String()
}

// conduct: connections stay open, and no page is asked for twice: what failed may
// have been done, and a page may have sold something.
func conduct() []app.Setting {
	return []app.Setting{
		{"default_type", "text/html"},
		{"server_tokens", "off"},
		{"keepalive_timeout", "1h"},
		{"keepalive_requests", "1000000000"},
		{"large_client_header_buffers", "4 32k"}, // a review is written in the address of a page
		{"fastcgi_next_upstream", "off"},
		{"fastcgi_buffers", "32 8k"},
		{"fastcgi_max_temp_file_size", "0"},
		{"ssl_protocols", "TLSv1.2 TLSv1.3"},
		{"ssl_session_cache", "shared:tls:1m"},
	}
}

// httpSettings are the study's that belong to the block http: all others.
func httpSettings(c app.Config) (names []string) {
	for name := range c.Settings {
		if name != tlsSetting && !slices.Contains(mainSettings, name) && !slices.Contains(eventSettings, name) {
			names = append(names, name)
		}
	}
	return names
}

// chosen are defaults, and some of the study's settings, which replace them.
func chosen(c app.Config, names []string, defaults []app.Setting) (all []app.Setting) {
	for _, d := range defaults {
		if _, given := c.Settings[d.Name()]; !given {
			all = append(all, d)
		}
	}
	for _, s := range app.StudySettings(c.Settings) {
		if slices.Contains(names, s.Name()) {
			all = append(all, s)
		}
	}
	return all
}

func write(b *strings.Builder, indent string, all []app.Setting) {
	for _, d := range all {
		fmt.Fprintf(b, "%s%s %s;\n", indent, d.Name(), d.Value())
	}
}

// backends are the addresses of the application servers, and the directory in which
// the first has its pages: the others have the same in their own.
func backends(c app.Config) (addresses []string, pages string) {
	for _, p := range c.Peers {
		if p.Kind != "fastcgi" {
			continue
		}
		address := p.Address
		if p.Network == "unix" {
			address = "unix:" + address
		}
		addresses = append(addresses, address)
		if pages == "" {
			pages = endpoint.PagesOf(p).Content
		}
	}
	return addresses, pages
}

// upstream lists the application servers. None is left out for a while after it
// failed: users see when it is back.
func upstream(b *strings.Builder, c app.Config) {
	addresses, _ := backends(c)
	if len(addresses) == 0 {
		return
	}
	b.WriteString("\tupstream pages {\n")
	for _, address := range addresses {
		fmt.Fprintf(b, "\t\tserver %s max_fails=0;\n", address)
	}
	b.WriteString("\t}\n")
}

// statusPath is where the server counts its connections.
const statusPath = "/plimsoll-status"

// shop is the server that users talk to.
func shop(b *strings.Builder, c app.Config) {
	listen := "${LISTEN} backlog=65535"
	if encrypts(c) {
		listen += " ssl"
	}
	b.WriteString("\tserver {\n")
	write(b, "\t\t", []app.Setting{{"listen", listen}, {"root", site}})
	if encrypts(c) {
		write(b, "\t\t", []app.Setting{{"ssl_certificate", certificateFile}, {"ssl_certificate_key", keyFile}})
	}
	fmt.Fprintf(b, "\t\tlocation = %s { stub_status; allow unix:; allow ${HOST}; allow 127.0.0.1; deny all; }\n", statusPath)
	if addresses, pages := backends(c); len(addresses) > 0 {
		b.WriteString("\t\tlocation ~ \\.php$ {\n\t\t\tfastcgi_pass pages;\n")
		for _, p := range parameters(pages) {
			fmt.Fprintf(b, "\t\t\tfastcgi_param %s %s;\n", p.Name(), p.Value())
		}
		b.WriteString("\t\t}\n")
	}
	b.WriteString("\t}\n")
}

// parameters are the parameters of a request that pages get (CGI, RFC 3875).
func parameters(pages string) []app.Setting {
	return []app.Setting{
		{"SCRIPT_FILENAME", pages + "$fastcgi_script_name"},
		{"SCRIPT_NAME", "$fastcgi_script_name"},
		{"REQUEST_METHOD", "$request_method"},
		{"REQUEST_URI", "$request_uri"},
		{"QUERY_STRING", "$query_string"},
		{"CONTENT_TYPE", "$content_type"},
		{"CONTENT_LENGTH", "$content_length"},
		{"SERVER_PROTOCOL", "$server_protocol"},
		{"SERVER_NAME", "$host"},
		{"REMOTE_ADDR", "$remote_addr"},
	}
}
