package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/report/supportbundle"
	"plimsoll/internal/report/supportbundle/supportbundletest"
	"plimsoll/internal/result/resulttest"
	"plimsoll/test/quick"
)

// inArchive are the files of a compressed tar by name.
func inArchive(t *testing.T, file string) map[string]string {
	t.Helper()
	return supportbundletest.Files(t, bytes.NewReader(readFile(t, file)))
}

// secretStudy has secrets in every way in which a study may hold them, each with s3cret in it.
const secretStudy = `study: small # password: s3cret-comment
workload: dvdstore
engine:
  name: postgres
  config: {ssl_passphrase: s3cret-flow, work_mem: 4MB, "auth_token": "s3cret-quoted"}
  existing: {user: me, password_env: SHOP_PASSWORD, password_file: /nowhere}
target: http://me:s3cret-url@shop.customer.example/
notes: |
  -----BEGIN RSA PRIVATE KEY-----
  s3cret+pem/lines
  -----END RSA PRIVATE KEY-----
api_key: |
  s3cret-block
  s3cret-second-line
secret_key: >-
  s3cret-folded
ladder: [1]
`

// secretJournal is a line with secrets in the ways of command lines, environments, SQL and HTTP.
const secretJournal = `{"at":"2026-11-25T10:15:00Z","act":"note","detail":{
"argv":"psql --password s3cret-argument --token=s3cret-flag postgres://me:s3cret-postgres@10.1.2.3/shop",
"env":"PGPASSWORD=s3cret-variable AWS_SECRET_ACCESS_KEY='s3cret-aws' X=1",
"sql":"create user me identified by 's3cret-sql'; alter role me password 's3cret-role'",
"http":"Authorization: Bearer s3cret0bearer; GET /x?X-Amz-Signature=s3cret-signed&token=s3cret-query",
"dsn":"me:s3cret-dsn@tcp(10.1.2.3:3306)/shop","known":"it said: from/the-env, from\u002dthe-account and from%2Fthe-env",
"access_key":"s3cret-access","password":"s3cret\"escaped","tokens":["a"],"secret":["s3cret-listed",{"data":"s3cret-below"}],"after":"stays","api_token":90210911,
"jwt":"eyJhbGciOiJIUzI1NiJ9.s3cretpayload.s3cretsigned"}}
`

// No secret of a run leaves with its texts, whatever holds it: what the archive lists is in it,
// and what was left out is listed.
func TestHelpWithTextsIsAskedForWithoutSecrets(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	s := newSite(t)
	s.Env["SHOP_PASSWORD"] = "from/the-env"
	const run = "runs/20261125-101500-shop"
	if err := resulttest.Run(run, []string{"ssd"}, []int{1, 4}, 2, 30); err != nil {
		t.Fatal(err)
	}
	trial := run + "/trials/ssd/1/1"
	for name, text := range map[string]string{
		run + "/study.yaml":                                secretStudy,
		run + "/journal.jsonl":                             strings.ReplaceAll(secretJournal, "\n\"", "\""),
		trial + "/evidence/instance-001/accounts.json":     `{"user": {"Endpoints": [{"User": "me", "Password": "from-the-account"}]}}`,
		trial + "/evidence/instance-001/volumes/db-1/data": "s3cret-data",
		trial + "/logs/postgres.log":                       "password s3cret-log",
		run + "/.token":                                    "s3cret-token",
		run + "/report.html":                               "s3cret-page",
		run + "/trials/ssd/4/1/notes-of-the-user.txt":      "s3cret-notes",
		run + "/baseline/study.yaml":                       "study: b\npassword: s3cret-baseline\n",
		run + "/trials/ssd/4/1/audit.json":                 `{"text": "password=s3cret-audit from-the-account"}`,
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	planned, err := os.ReadFile(run + "/plan.json")
	if err != nil {
		t.Fatal(err)
	}
	planned = bytes.Replace(planned, []byte("{"), []byte(`{"existing": {"password_env": "SHOP_PASSWORD", "password": "s3cret-planned"},`), 1)
	if err := os.WriteFile(run+"/plan.json", planned, 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, errs := s.plimsoll("ask-for-help", run, "--with-logs", "--yes", "-o", "help.tar.gz", "--json")
	if code != 0 {
		t.Fatalf("code %d: %s%s", code, out, errs)
	}
	var p supportbundle.Summary
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat("help.tar.gz"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the archive can be read by others: %v, %v", info.Mode(), err)
	}
	files := inArchive(t, "help.tar.gz")
	for name, text := range files {
		for _, secret := range []string{"s3cret", "90210911", "/the-env", "from-the-account", "%2Fthe-env"} {
			if strings.Contains(text, secret) || strings.Contains(name, secret) {
				at := max(0, strings.Index(text, secret)-60)
				t.Errorf("%s holds a secret: …%s", name, text[at:min(len(text), at+140)])
			}
		}
		if strings.HasSuffix(name, ".json") && !json.Valid([]byte(text)) {
			t.Errorf("%s is not JSON any more", name)
		}
	}
	if len(files) != len(p.Files) || p.Secrets < 20 {
		t.Errorf("%d files are in it, and %+v is listed", len(files), p)
	}
	for _, f := range p.Files {
		if len(files[f.Name]) != f.Bytes || !strings.HasSuffix(f.Name, "CONTENTS.txt") && !strings.Contains(files["20261125-101500-shop/CONTENTS.txt"], strings.TrimPrefix(f.Name, "20261125-101500-shop/")) {
			t.Errorf("%+v is not in it, or not in its list", f)
		}
	}
	for _, left := range []string{"trials/ssd/1/1/evidence/", ".token", "report.html", "trials/ssd/4/1/notes-of-the-user.txt"} {
		if !slices.ContainsFunc(p.LeftOut, func(l supportbundle.Omission) bool { return l.Name == left }) {
			t.Errorf("%s is not listed as left out: %+v", left, p.LeftOut)
		}
	}
	if kept := files["20261125-101500-shop/journal.jsonl"]; !strings.Contains(kept, `"after":"stays"`) || !strings.Contains(kept, "it said: ") {
		t.Errorf("more than secrets was taken out: %s", kept)
	}
	for _, want := range []string{"doctor.json", "versions.json", "report.txt", "study.yaml", "trials/ssd/1/1/logs/postgres.log", "trials/ssd/4/2/trial.json", "trials/ssd/4/2/telemetry.parquet"} {
		if files["20261125-101500-shop/"+want] == "" {
			t.Errorf("%s is missing", want)
		}
	}
}

// Who asks for it has other paths and hosts in the archive, the same everywhere, and a run whose
// results can still be read.
func TestHelpIsAskedForUnderOtherNames(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	s := newSite(t)
	const run = "runs/customer-of-mine"
	if err := resulttest.Run(run, []string{"ssd"}, []int{1, 4}, 2, 30); err != nil {
		t.Fatal(err)
	}
	journal := `{"at":"2026-11-25T10:15:00Z","act":"made","object":{"kind":"mount","path":"/srv/customer/my volume/x"},"detail":{"server":"dbserver7.customer.example:5432","at":"10.1.2.3 and fd00::17:3","text":"on dbserver7 below /srv/customer/my volume/x, see https://dbserver7.customer.example/path, 127.0.0.1, 10:15:00"}}` + "\n"
	s.Write(run+"/journal.jsonl", journal)
	s.Write(run+"/machine.json", `{"hostname": "bigbox", "os": "Debian", "file_systems": [{"mount": "/srv/customer"}]}`)
	code, out, errs := s.plimsoll("ask-for-help", run, "--with-logs", "--yes", "--rename", "-o", "plimsoll-help.tar.gz")
	if code != 0 {
		t.Fatalf("code %d: %s%s", code, out, errs)
	}
	files := inArchive(t, "plimsoll-help.tar.gz")
	for name, text := range files {
		for _, known := range []string{"customer", "my volume", "bigbox", "dbserver7", "10.1.2.3", "fd00::17:3", s.Dir} {
			if strings.Contains(text, known) || strings.Contains(name, known) {
				t.Errorf("%s still has %q:\n%s", name, known, text[:min(len(text), 2000)])
			}
		}
		if strings.HasSuffix(name, "journal.jsonl") && (strings.Count(text, "host-") < 2 || !strings.Contains(text, "127.0.0.1") || !strings.Contains(text, "10:15:00")) {
			t.Errorf("the journal is now %s", text)
		}
	}
	for name, text := range files {
		path := filepath.Join("received", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	dirs, err := filepath.Glob("received/*")
	if err != nil || len(dirs) != 1 {
		t.Fatalf("%v %v", dirs, err)
	}
	if code, out, errs := s.plimsoll("show", dirs[0]); code != 0 || !strings.Contains(out, "ssd/4/2") {
		t.Errorf("what was received cannot be read: %s%s", out, errs)
	}
}

// Harmless text stays, so the run can still be read, and names stay consistent. The archive is
// readable by its owner alone and replaces no file.
func TestHelpIsAskedForWithoutNames(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	s := newSite(t)
	const run = "runs/customer"
	if err := resulttest.Run(run, []string{"disk-of-ours", "ssd"}, []int{1, 4}, 2, 30); err != nil {
		t.Fatal(err)
	}
	s.Write(run+"/study.yaml", secretStudy)
	s.Write(run+"/trials/ssd/1/1/logs/postgres.log", "password s3cret-log")
	if code, out, errs := s.plimsoll("ask-for-help", run, "-o", "help.tar.gz"); code != 0 {
		t.Fatalf("code %d: %s%s", code, out, errs)
	}
	if info, err := os.Stat("help.tar.gz"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if code, _, errs := s.plimsoll("ask-for-help", run, "-o", "help.tar.gz"); code != command.ExitUsage || !strings.Contains(errs, "it exists") {
		t.Errorf("code %d: %s", code, errs)
	}
	for name, text := range inArchive(t, "help.tar.gz") {
		if strings.Contains(name+text, "ours") || strings.Contains(name+text, "s3cret") || strings.Contains(name+text, "customer") {
			t.Errorf("%s has a name of the user's", name)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join("received", name)), 0o700); err != nil {
			t.Fatal(err)
		}
		s.Write(filepath.Join("received", name), text)
	}
	code, out, errs := s.plimsoll("show", "received/run-1")
	if code != 0 || strings.Count(out, "passed") != 8 || strings.Count(out, "/4/2") != 2 {
		t.Errorf("what was received cannot be read: code %d: %s%s", code, out, errs)
	}
}

// Texts are packed when somebody agreed, and not otherwise.
func TestTextsArePackedWhenAgreed(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	s := newSite(t)
	if err := resulttest.Run("runs/a", []string{"ssd"}, []int{1}, 1, 3); err != nil {
		t.Fatal(err)
	}
	code, _, errs := s.plimsoll("ask-for-help", "runs/a", "--with-logs", "-o", "help.tar.gz")
	if code != command.ExitCannotRun || !strings.Contains(errs, "a/plan.json") || !strings.Contains(errs, "--yes") || command.Exists("help.tar.gz") {
		t.Errorf("code %d: %s", code, errs)
	}
	for _, args := range []string{"--rename", "--yes"} {
		if code, _, _ := s.plimsoll("ask-for-help", "runs/a", args); code != command.ExitUsage {
			t.Errorf("%s: code %d", args, code)
		}
	}
}

// A published result and a file that would not be a tar are refused.
func TestHelpIsNotAskedFor(t *testing.T) {
	s := newSite(t)
	for _, args := range [][]string{{"reference/cns-ds2"}, {"nosuch"}, nil} {
		if code, _, errs := s.plimsoll(append([]string{"ask-for-help"}, args...)...); code != command.ExitUsage {
			t.Errorf("%v: code %d: %s", args, code, errs)
		}
	}
}
