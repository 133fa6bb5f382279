package supportbundle

import (
	"strings"
	"testing"
)

// Secrets in the forms in which programs write them, each with the word SECRET in what must go.
// The text is in the parts that are joined, so that no scanner takes it for a secret that leaked.
func TestFormsOfSecrets(t *testing.T) {
	c := newCleaner(Options{})
	for _, text := range []string{
		"https://acct.blob.example/c/b?sv=2020&sig=SECRETsig%2Fabc%3D",
		"https://maps.example/api?key=AIza" + "SySECRETgooglekey1234567890abcdef",
		"[client.admin]\n\tkey = AQ" + "SECRETcephkeyxxxxxxxxxxxxxxxxxxxxxxxx==",
		"ceph --key AQSECRETdash== -s",
		"mount -o name=admin,secret=AQSECRETmount==",
		"token gh" + "p_SECRETgithub0123456789abcdefghijklmn",
		"glpat" + "-SECRETgitlab0123456",
		"xox" + "b-SECRET-slack-1234567890",
		"hvs" + ".SECRETvault0123456789",
		"mysql -uroot -pSECRETmysqlp db",
		"mariadb-dump --all -pSECRETdump",
		"curl -u admin:SECRETcurlu https://h/",
		"curl --proxy-user a:SECRETproxy https://h/",
		"sshpass -p SECRETsshpass ssh h",
		"user:SECRETgodsn@tcp(10.0.0.1:3306)/db",
		"https://u:SECRETurl@h/db",
		"h:5432:db:user:SECRETpgpass",
		"export MY_PASS=SECRETmypass",
		"DB_PW=SECRETdbpw",
		`{\"token\":\"SECRETtokesc\"}`,
		"Cookie: session=SECRETcookie",
		"Set-Cookie: sid=SECRETsetcookie; Path=/",
		"X-Api-Key: SECRETxapi",
		"api_key: SECRETapikey",
		"OTEL_EXPORTER_OTLP_HEADERS=x-team=SECRETotlp",
		`CREATE USER x IDENTIFIED BY "SECRETident"`,
		`CREATE USER x IDENTIFIED BY 'SECRETident'`,
		`"client-key-data": "SECRETkubekey"`,
		"client-key-data: SECRETkubekey",
		"--pass SECRETpassflag",
		"--pw=SECRETpwflag",
		"AUTH PLAIN SECRETplain=",
		"Basic U0VDUkVUSECRET",
	} {
		if out := c.line(text); strings.Contains(out, "SECRET") || !strings.Contains(out, hidden) {
			t.Errorf("%s: %s", text, out)
		}
	}
}

// Words that only look like one stay: whoever helps needs them.
func TestFormsThatAreNoSecrets(t *testing.T) {
	c := newCleaner(Options{})
	for _, text := range []string{
		"basic settings", "bypass=1", "passed=3", "file.go:12:45: broken", "throughput by key=hot", "/dev/vda:8:1:2",
		"2026-11-28T12:30:45 a: b", "INSERT rate 5", "keys = 12", "--keyed 3", "10.0.0.1:9000 answered", "mysql -u root db",
	} {
		if out := c.line(text); out != text {
			t.Errorf("%s: %s", text, out)
		}
	}
}

// A reader of YAML finds the values of secret keys wherever they are written, and so does this.
func TestSecretsOfYAML(t *testing.T) {
	text := `x_note: &pw SECRETanchor1
my_password: *pw
nested: &all {a: SECRETdeep, b: [SECRETlist]}
credential: *all
"pass\u0077ord": SECRETesc
block_password: |
  SECRETblock1
  SECRETblock2
flow: {password: SECRETflow, a: kept}
title: kept
`
	o := newCleaner(Options{}).texts(nil, map[string][]byte{"study.yaml": []byte(text), "log.txt": []byte("said SECRETanchor1 and SECRETblock2")}, func(string, string) {})
	for name, out := range o {
		if strings.Contains(string(out), "SECRET") {
			t.Errorf("%s: %s", name, out)
		}
	}
	if n := strings.Count(string(o["study.yaml"]), "kept"); n != 2 {
		t.Errorf("%d of 2 other values are left: %s", n, o["study.yaml"])
	}
	if s := yamlSecrets([]byte("a: [")); len(s) > 0 {
		t.Error(s)
	}
}
