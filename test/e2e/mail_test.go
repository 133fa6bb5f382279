package e2e

import (
	"testing"

	"plimsoll/internal/result"
)

const mailTile = `study: mails
title: Mail beside a reader
members:
  - name: mail
    workload:
      name: mail
      parameters: {sends: 30000, messages: 3, idle: 20ms, attachments: "0B:3, 20KiB:1"}
    stack:
      mail: {name: dovecot, settings: {mail_format: mdbox}}
      smtp: {name: postfix}
    load: {users: 4}
    objectives: ["p95 <= 30s", "errors <= 50%"]
  - name: reader
    workload: {name: blockio, parameters: {size: 8MiB, read: 100}}
    load: {users: 1}
    objectives: ["p95 <= 30s"]
storage:
  here: {class: directory, path: disk}
ladder: [1]
phases: {warmup: 1s, measure: 8s, ramp_rate: 0}
telemetry: {interval: 200ms}
`

// Mail can be a member of a tile: its messages are sent, delivered and audited while the other
// member works.
func TestMailIsAMemberOfATile(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.plimsoll(0, "run", s.write("mails.yaml", mailTile), "--name", "mails", "--min-grade", "F")
	all := s.members("mails", "here/1/1")
	mail, reader := all["mail"], all["reader"]
	if mail == nil || reader == nil || mail.Status != result.Passed {
		t.Fatalf("members are %+v", all)
	}
	if mail.Audit == nil || !mail.Audit.Passed || mail.Audit.Acknowledged == 0 || reader.Whole().Count == 0 {
		t.Errorf("audit %+v; the reader did %d", mail.Audit, reader.Whole().Count)
	}
	for _, operation := range []string{"send", "read", "delivery"} {
		if mail.Operations[operation].Count == 0 {
			t.Errorf("none of %s: %+v", operation, mail.Operations)
		}
	}
	s.assertNothingLeft()
}
