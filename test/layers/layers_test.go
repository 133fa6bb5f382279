// Package layers checks that data flows one way: each package imports only what
// the table below permits.
package layers

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// permitted says what of ours a package may import; names are below internal/
// where nothing else is said. "storage/..." stands for every package below
// storage that has no line of its own. What lies below a package it may always
// import, and the parts of one kind each other. Conformance suites and helpers of tests (…test) may import anything.
var permitted = []struct{ pkg, imports string }{
	// stand alone
	{"describe", ""},
	{"unit", "words"},
	{"endpoint", ""},
	{"patience", ""},
	{"bucket", "endpoint patience"},
	{"mailbox", "endpoint"},
	{"doctor", ""},
	{"fetch", "safefile"},
	{"cluster/image", "safefile"},
	{"host/aio", "host/thread"},
	{"archive", "safefile"},
	{"cluster/kube", "host/peer"},
	{"host/mounts", ""},
	{"host/namespace", "host/thread"},
	{"host/confine", "host/namespace host/thread safefile"},
	{"host/peer", ""},
	{"host/flock", "regular"},
	{"printable", ""},
	{"regular", ""},
	{"safefile", "words"},
	{"caught", ""},
	{"inrange", ""},
	{"skew", ""},
	{"atonce", ""},
	{"stamp", ""},
	{"host/relay", "host/peer host/thread"},
	{"host/thread", ""},
	{"version", ""},
	{"words", ""},
	{"studies", ""},

	// study → plan
	{"study", "printable unit words"},
	{"plan", "describe study unit words"},
	{"draft", "study unit"},

	// what happens near an instance
	{"journal", "host/flock host/mounts host/namespace inrange printable regular safefile words"},
	{"task", "host/mounts"},
	{"cluster/pod", "archive task"},
	{"host/cgroup", "journal host/thread words"},
	{"clone", "safefile unit"},
	{"medium", "safefile unit"},
	{"nfsmount", "journal safefile"},
	{"simnet", "journal host/namespace"},
	{"simnet/link", "host/thread simnet"},
	{"service", "host/peer simnet/link"},
	{"sink", "host/peer service simnet/link stamp host/thread"},
	{"transfer", "clone describe transfer/content"},
	{"transfer/content", ""},
	{"imaged", "describe endpoint host/peer service simnet/link transfer transfer/content"},
	{"probe", "host/aio host/mounts words"},
	{"host/machine", "doctor host/cgroup host/mounts result safefile study unit words"},
	{"telemetry", "describe result storage"},
	{"telemetry/...", "regular result telemetry"},

	// kinds, and what they share
	{"workload", "describe endpoint task"},
	{"workload/fileio", "describe endpoint host/mounts host/thread stamp unit workload"},
	{"workload/objectio", "bucket endpoint s3wire workload workload/fileio"},
	{"workload/together", "host/aio stamp workload workload/fileio"},
	{"sqlconn", "endpoint workload"},
	{"workload/mix", "unit"},
	{"workload/sqldb", "endpoint sqlconn sqlwire workload"},
	{"workload/network", "describe sink unit workload"},
	{"workload/tpcds", "bucket describe duckdb endpoint sqlwire trino unit workload workload/sqldb"},
	{"workload/tpcds/queries", "fetch"},
	{"workload/blockio", "describe endpoint host/aio host/mounts host/thread skew stamp unit workload workload/fileio workload/mix"},
	{"workload/images", "describe imaged transfer transfer/content unit workload"},
	{"workload/mail", "describe endpoint mailbox unit workload workload/fileio workload/mix"},
	{"workload/...", "bucket describe doctor endpoint host/aio host/mounts httpwire s3wire skew stamp sqlwire sqlwire/dial unit webpage words workload workload/fileio workload/mix workload/objectio workload/phpdb workload/sqldb workload/together"},
	{"socket", "host/thread"},
	{"sqlwire", "endpoint sqlconn"},
	{"sqlwire/...", "endpoint socket sqlconn sqlwire workload"},
	{"sqlwire/dial", "endpoint sqlwire sqlwire/mariadb sqlwire/postgres sqlwire/sqlserver"},
	{"httpwire", "endpoint socket workload"},
	{"webpage", "httpwire"},
	{"duckdb", "endpoint workload"},
	{"s3wire", "bucket endpoint socket"},
	{"trino", "bucket endpoint sqlconn workload"},
	{"app", "describe endpoint study unit workload"},
	{"app/trino", "app bucket doctor endpoint fetch trino"},
	{"app/ownlink", "app simnet simnet/link version"},
	{"app/netsink", "app app/ownlink endpoint simnet/link sink workload"},
	{"app/imaged", "app app/ownlink endpoint imaged simnet/link"},
	{"app/duckdb", "app describe doctor duckdb endpoint fetch"},
	{"app/dovecot", "app doctor endpoint mailbox"},
	{"app/postfix", "app describe doctor endpoint mailbox"},
	{"app/...", "app bucket host/confine describe doctor endpoint fetch sqlconn workload"},
	{"storage", "describe endpoint journal words"},
	{"storage/...", "bucket clone describe doctor endpoint host/cgroup host/mounts host/namespace host/peer host/relay journal medium nfsmount printable regular safefile simnet stamp storage storage/directory storage/disk storage/peers storage/s3 study unit volumes words"},
	{"volumes", "clone endpoint safefile storage"},

	// campaign: the live interfaces meet here
	{"load", "describe host/peer host/thread result study task unit workload"},
	{"job", "app describe endpoint load probe result task telemetry workload"},
	{"platform", "app describe endpoint journal result storage study task workload"},
	{"platform/...", "app archive clone cluster/image cluster/kube cluster/pod describe doctor endpoint host/cgroup host/confine host/flock host/machine host/mounts host/namespace host/peer host/relay host/thread job journal load platform platform/logfile result safefile simnet storage study task telemetry telemetry/kubelet telemetry/prometheus unit version words workload"},
	{"campaign", "app atonce describe endpoint host/mounts job journal load plan platform printable regular result safefile storage study task unit words workload"},
	{"export", "campaign describe printable result"},
	{"pools", "describe inrange journal regular safefile storage study words"},
	{"bundle", "printable regular"},
	{"cluster/detach", "archive cluster/kube safefile"},

	// result → analysis → report: pure functions of files
	{"result/pages", ""},
	{"result", "caught describe inrange journal host/mounts plan printable regular study words"},
	{"analysis/stats", ""},
	{"analysis/queueing", ""},
	{"analysis/repetition", ""},
	{"analysis/steady", ""},
	{"analysis/stage", "describe"},
	{"analysis/trial", "analysis/stats describe plan result study"},
	{"analysis/course", "analysis/stats analysis/steady analysis/trial result"},
	{"analysis/trust", "analysis/course analysis/sequence analysis/stats analysis/steady analysis/trial caught describe plan result study words"},
	{"analysis/sequence", "analysis/stats analysis/trial result"},
	{"analysis/trust/aside", "analysis/stats result words"},
	{"analysis/trust/attempt", "result"},
	{"analysis/trust/loss", "analysis/trial result words"},
	{"analysis/trust/neighbour", "analysis/stats analysis/trial result"},
	{"analysis/interval", "analysis/repetition analysis/stats words"},
	{"analysis/resource", "analysis/stage analysis/stats analysis/trial analysis/trust describe result"},
	{"analysis/sharing", "analysis/resource analysis/stats analysis/trial analysis/trust analysis/trust/neighbour result"},
	{"analysis/saving", "analysis/stats describe"},
	{"analysis/rung", "analysis/course analysis/each analysis/interval analysis/repetition analysis/resource analysis/saving analysis/side analysis/stats analysis/steady analysis/trial analysis/trust describe result study"},
	{"analysis/loadline", "analysis/interval analysis/repetition analysis/resource analysis/rung analysis/stats analysis/trial result study"},
	{"analysis/scale", "analysis/interval analysis/queueing analysis/resource analysis/rung analysis/stats analysis/trial describe"},
	{"analysis/items", "analysis/interval analysis/repetition analysis/resource analysis/rung analysis/stats analysis/trial analysis/trust describe result"},
	{"analysis/diagnose", "analysis/loadline analysis/queueing analysis/resource analysis/rung analysis/scale analysis/stats analysis/steady"},
	{"analysis/model", "analysis/diagnose analysis/items analysis/interval analysis/loadline analysis/price analysis/resource analysis/rung analysis/scale analysis/stats analysis/trust describe result study unit"},
	{"analysis/setup", "analysis/model analysis/resource analysis/scale analysis/stats analysis/trial analysis/trust describe plan result study words"},
	{"analysis/contrast", "analysis/interval analysis/model analysis/repetition analysis/rung analysis/setup analysis/stats result study words"},
	{"analysis/question", "analysis/contrast analysis/interval analysis/items analysis/model analysis/repetition analysis/resource analysis/rung analysis/stats analysis/trial analysis/trust result study"},
	{"analysis/answer", "analysis/contrast analysis/interval analysis/items analysis/loadline analysis/model analysis/price analysis/resource analysis/rung analysis/scale analysis/setup analysis/trial result study words"},
	{"analysis/grade", "analysis/interval analysis/loadline analysis/model analysis/resource analysis/rung analysis/setup analysis/steady analysis/trust result study words unit"},
	{"analysis/experiment", "analysis/course analysis/diagnose analysis/model analysis/queueing analysis/resource analysis/rung analysis/scale analysis/setup analysis/stats result words"},
	{"analysis/answer/limit", "analysis/course analysis/steady analysis/answer analysis/diagnose analysis/each analysis/experiment analysis/loadline analysis/model analysis/queueing analysis/resource analysis/rung analysis/scale analysis/setup analysis/stats study words"},
	{"analysis/answer/reply", "analysis/answer analysis/interval analysis/model study words"},
	{"analysis/answer/verdict", "analysis/answer analysis/answer/limit analysis/answer/reply analysis/contrast analysis/grade analysis/interval analysis/loadline analysis/model analysis/rung analysis/setup analysis/stats analysis/trial analysis/trust describe study words"},
	{"analysis/chain", "analysis/model analysis/resource analysis/rung analysis/trust result"},
	{"analysis/side", "analysis/stats analysis/trial analysis/trust describe result"},
	{"analysis/each", "analysis/stats analysis/trial result study"},
	{"analysis/tile", "analysis/stats analysis/trial result"},
	{"analysis/price", "analysis/stats describe study words"},
	{"analysis", "caught describe plan result study unit words"}, // and what lies below it, but for compare and sizing
	{"analysis/compare/sides", "analysis analysis/setup analysis/loadline analysis/rung caught analysis/stats analysis/trial analysis/trust result study unit words"},
	{"analysis/compare/family", "analysis/compare/sides analysis/interval analysis/repetition analysis/rung analysis/stats analysis/trial analysis/trust result"},
	{"analysis/compare/gate", "analysis/compare/family analysis/interval analysis/repetition analysis/stats study words"},
	{"analysis/compare", "analysis analysis/answer analysis/grade analysis/setup analysis/loadline analysis/rung analysis/interval caught analysis/repetition analysis/stats analysis/trial analysis/trust describe result study unit words"},
	{"analysis/sizing", "analysis analysis/loadline analysis/interval analysis/resource analysis/stats analysis/trust describe study unit words"},
	{"search", "analysis/queueing words"},
	{"followup", "analysis analysis/answer analysis/resource analysis/rung analysis/tile analysis/compare analysis/compare/family analysis/interval analysis/repetition analysis/stats analysis/trial analysis/trust describe plan result search study words"},
	{"reference", "analysis/trial describe plan result study unit"},
	{"report", "analysis/answer analysis/answer/verdict analysis analysis/chain analysis/items analysis/setup analysis/loadline analysis/rung analysis/compare analysis/compare/family analysis/compare/sides analysis/interval analysis/resource analysis/price analysis/sizing analysis/trust describe plan result words"},

	{"tables", "analysis analysis/rung"},

	// pages of runs that go on, and of those that were
	{"serve", "analysis analysis/compare analysis/compare/family analysis/loadline campaign caught host/peer regular report result safefile words"},

	// everything is put together
	{"cli", everything},
	{"cmd/plimsoll", "cli"},
}

const everything = "everything"

func TestPackagesImportOnlyWhatIsPermitted(t *testing.T) {
	for _, p := range packages(t) {
		pkg, ours := name(p.ImportPath)
		if !ours {
			continue
		}
		allowed, known := permittedFor(pkg)
		if !known {
			t.Errorf("%s has no line in the table of permitted imports; give it one", pkg)
			continue
		}
		for _, path := range p.Imports {
			imported, ours := name(path)
			if ours && allowed != everything && !parts(pkg, imported) && !slices.Contains(strings.Fields(allowed), imported) {
				t.Errorf("%s imports %s, which the table of permitted imports does not allow", pkg, imported)
			}
		}
	}
}

// What analysis and result may see decides whether a report can be made again from
// files alone; the table must not come to allow it by and by.
func TestResultsAreFilesAlone(t *testing.T) {
	live := []string{"workload", "storage", "app", "platform", "load", "campaign", "task", "job", "telemetry"}
	for _, line := range permitted {
		if line.pkg != "result" && line.pkg != "report" && line.pkg != "followup" && !strings.HasPrefix(line.pkg, "analysis") {
			continue
		}
		for _, imported := range strings.Fields(line.imports) {
			if slices.Contains(live, imported) {
				t.Errorf("%s may import %s, which is a live interface", line.pkg, imported)
			}
		}
	}
}

func TestTheTableNamesPackagesThatExist(t *testing.T) {
	var all []string
	for _, p := range packages(t) {
		all = append(all, strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "plimsoll/"), "internal/"))
	}
	for _, line := range permitted {
		for _, pkg := range append(strings.Fields(line.imports), strings.TrimSuffix(line.pkg, "/...")) {
			if pkg != everything && !slices.Contains(all, pkg) {
				t.Errorf("the line of %s names %s, and there is no such package", line.pkg, pkg)
			}
		}
	}
}

// parts reports whether one package lies below the other, or both below one kind.
func parts(pkg, imported string) bool {
	a, b := strings.SplitN(pkg, "/", 3), strings.SplitN(imported, "/", 3)
	return strings.HasPrefix(imported, pkg+"/") || len(a) == 3 && len(b) == 3 && a[0] == b[0] && a[1] == b[1]
}

// permittedFor gives the line of a package: its own, or that of what it lies
// below.
func permittedFor(pkg string) (imports string, known bool) {
	longest := -1
	for _, line := range permitted {
		prefix, all := strings.CutSuffix(line.pkg, "/...")
		if line.pkg == pkg {
			return line.imports, true
		}
		if all && strings.HasPrefix(pkg, prefix+"/") && len(prefix) > longest {
			imports, known, longest = line.imports, true, len(prefix)
		}
	}
	if !known { // a part of a package with a line
		if at := strings.LastIndexByte(pkg, '/'); at > 0 {
			return permittedFor(pkg[:at])
		}
	}
	return imports, known
}

// name is a package's name in the table; ours is false for other modules,
// helpers of tests, and what is no part of the product.
func name(path string) (pkg string, ours bool) {
	pkg, ours = strings.CutPrefix(path, "plimsoll/")
	part := strings.HasPrefix(pkg, "internal/") || strings.HasPrefix(pkg, "cmd/") || pkg == "reference" || pkg == "studies"
	return strings.TrimPrefix(pkg, "internal/"), ours && part && !strings.HasSuffix(pkg, "test")
}

type pkg struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "plimsoll/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}
