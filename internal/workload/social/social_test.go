package social_test

import (
	"slices"
	"testing"

	"plimsoll/internal/app/nginx"
	"plimsoll/internal/app/phpfpm"
	"plimsoll/internal/app/postgres"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/mix"
	"plimsoll/internal/workload/social"
	"plimsoll/internal/workload/sqldb"
	"plimsoll/internal/workload/workloadtest"
)

func parameters(change func(*social.Parameters)) *social.Parameters {
	p := social.Workload{}.Defaults().(*social.Parameters)
	p.People, p.Picture, p.Document, p.Attend, p.Comment = 40, 2000, 3001, 60, 60
	p.Mix = mix.Verbs{}
	for _, verb := range []string{"home", "login", "tag-search", "event", "person", "add-person", "add-event"} {
		p.Mix = append(p.Mix, mix.Weighted{Verb: verb, Weight: 1})
	}
	if change != nil {
		change(p)
	}
	return p
}

func TestConformance(t *testing.T) {
	workloadtest.Run(t, workloadtest.Suite{
		Workload: social.Workload{}, Environment: workloadtest.Here(postgres.Engine{}, phpfpm.Engine{}, nginx.Engine{}),
		Parameters: parameters(nil),
		Wrong: map[string]workload.Parameters{
			"people":   parameters(func(p *social.Parameters) { p.People = 0 }),
			"picture":  parameters(func(p *social.Parameters) { p.Picture = 0 }),
			"document": parameters(func(p *social.Parameters) { p.Document = 1 << 20 }),
			"mix":      parameters(func(p *social.Parameters) { p.Mix[0].Verb = "sleep" }),
			"attend":   parameters(func(p *social.Parameters) { p.Attend = 101 }),
			"comment":  parameters(func(p *social.Parameters) { p.Comment = -1 }),
		},
		Empty: func(t *testing.T, to workload.Target) {
			execute(t, to, "drop table if exists files, people, events, attendance, comments")
		},
		Falsified: falsified,
		Doubtful:  doubtful,
		Damages: []workloadtest.Damage{
			{
				Name: "a comment is lost", Fails: "every acknowledged person, event, attendance and comment is present",
				Do: func(t *testing.T, to workload.Target, _ [][]byte) {
					execute(t, to, "create table kept as select * from comments where ref is not null; delete from comments where ref is not null")
				},
				Undo: func(t *testing.T, to workload.Target, _ [][]byte) {
					execute(t, to, "insert into comments select * from kept; drop table kept")
				},
			},
			{
				Name: "a byte of a file is another", Fails: "what was acknowledged is there as it was sent, with its files",
				Do: func(t *testing.T, to workload.Target, _ [][]byte) {
					execute(t, to, "update files set content = set_byte(content, 7, 255 - get_byte(content, 7)) where file_id > 200")
				},
				Undo: func(t *testing.T, to workload.Target, _ [][]byte) {
					execute(t, to, "update files set content = set_byte(content, 7, 255 - get_byte(content, 7)) where file_id > 200")
				},
			},
			{
				Name: "a loaded event is gone", Fails: "loaded people, events, attendances and comments are all there",
				Do: func(t *testing.T, to workload.Target, _ [][]byte) {
					execute(t, to, "create table kept as select * from events where event_id = 3; delete from events where event_id = 3")
				},
				Undo: func(t *testing.T, to workload.Target, _ [][]byte) {
					execute(t, to, "insert into events select * from kept; drop table kept")
				},
			},
			{
				Name: "an attendance that nobody asked for", Fails: "what is there was neither acknowledged nor in doubt",
				Do: func(t *testing.T, to workload.Target, _ [][]byte) {
					execute(t, to, "insert into attendance values (1, 1000000, 5)")
				},
				Undo: func(t *testing.T, to workload.Target, _ [][]byte) {
					execute(t, to, "delete from attendance where ref = 5")
				},
			},
		},
	})
}

func execute(t *testing.T, to workload.Target, statements string) {
	t.Helper()
	e := to.Endpoint("db")
	pool, err := sqldb.Open(t.Context(), e, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if _, err := pool.ExecContext(t.Context(), statements); err != nil {
		t.Fatalf("%s: %v", statements, err)
	}
}

// changed gives receipts of which the first has another byte at a place.
func changed(receipts [][]byte, place int) [][]byte {
	first := slices.Clone(receipts[0])
	first[place] ^= 1
	return append([][]byte{first}, receipts[1:]...)
}

// Places in a receipt: whether it is doubtful, and the last bytes of its number and of who
// wrote it.
const (
	doubtAt  = 1
	refAt    = 9
	personAt = 17
)

func falsified(receipts [][]byte) map[string][][]byte {
	invented := changed(receipts, refAt)[0]
	return map[string][][]byte{
		"one that was not acknowledged":           receipts[1:],
		"one that was acknowledged and never was": append([][]byte{invented}, receipts...),
		"one that was acknowledged twice":         append([][]byte{receipts[0]}, receipts...),
		"one by another person":                   changed(receipts, personAt),
	}
}

func doubtful(receipts [][]byte) map[string][][]byte {
	never := changed([][]byte{changed(receipts, refAt)[0]}, doubtAt)[0]
	return map[string][][]byte{
		"it is there":  changed(receipts, doubtAt),
		"it never was": append([][]byte{never}, receipts...),
	}
}
