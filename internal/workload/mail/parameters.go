package mail

import (
	"fmt"
	"slices"

	"plimsoll/internal/describe"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload/mix"
)

// Parameters are the settings of a study.
type Parameters struct {
	Mix         mix.Verbs     `yaml:"mix" json:"mix" jsonschema:"type=string,description=What users do with their weights: read; send; reply; forward; move; delete; search; idle (wait for news)"`
	Sends       float64       `yaml:"sends" json:"sends" jsonschema:"minimum=0,maximum=1000000,description=Messages that 1000 users send a minute (with replies and what they forward) whatever answers; the rest of the mix follows. 0 leaves the rate to the study's load"`
	Messages    int64         `yaml:"messages" json:"messages" jsonschema:"minimum=1,maximum=1048576,description=Messages in each mailbox before the load"`
	Text        unit.Bytes    `yaml:"text" json:"text" jsonschema:"description=Size of the text of a message" bounds:"1B..64KiB"`
	Attachments mix.Sizes     `yaml:"attachments" json:"attachments" jsonschema:"type=string,description=Size of the attachment or sizes with weights; 0B is none"`
	Idle        unit.Duration `yaml:"idle" json:"idle" jsonschema:"description=How long an idle user waits for news; the wait is in no response time" bounds:"1ms..1h"`
	Deliver     unit.Duration `yaml:"deliver" json:"deliver" jsonschema:"description=How long a user waits until a message that was accepted is in the mailbox; then it counts as an error" bounds:"1ms..1h"`
}

// The verbs, in the order in which they are reported.
const (
	send    = "send"
	reply   = "reply"
	forward = "forward"
	read    = "read"
	move    = "move"
	remove  = "delete"
	search  = "search"
	idle    = "idle"
)

// delivery is the operation from the acceptance of a message to its being in the mailbox.
const delivery = "delivery"

func verbs() []string { return []string{send, reply, forward, read, move, remove, search, idle} }

func defaults() *Parameters {
	return &Parameters{
		Mix: mix.Verbs{
			{Verb: read, Weight: 40}, {Verb: send, Weight: 10}, {Verb: reply, Weight: 10}, {Verb: forward, Weight: 5},
			{Verb: move, Weight: 10}, {Verb: remove, Weight: 15}, {Verb: search, Weight: 5}, {Verb: idle, Weight: 5},
		},
		Sends: 325, Messages: 50, Text: 4 << 10,
		Attachments: mix.Sizes{{Bytes: 0, Weight: 70}, {Bytes: 64 << 10, Weight: 20}, {Bytes: 512 << 10, Weight: 9}, {Bytes: 3 << 20, Weight: 1}},
		Idle:        unit.Duration(1e9), Deliver: unit.Duration(30e9),
	}
}

// largest is the size of an attachment that, encoded, fits into the largest message
// that Postfix accepts by default, 10,240,000 bytes.
const largest = 7 << 20

// Validate reports every impossible value.
func (p *Parameters) Validate() []describe.Problem {
	wrong := describe.Bounds(p)
	if err := p.Mix.Check(verbs()); err != nil {
		wrong.Add("mix", "%v", err)
	}
	if p.Sends > 0 && p.sending() == 0 {
		wrong.Add("sends", "the mix must have one of send, reply, forward for %g messages a minute, or sends must be 0", p.Sends)
	}
	if err := p.checkAttachments(); err != nil {
		wrong.Add("attachments", "%v", err)
	}
	return wrong
}

func (p *Parameters) checkAttachments() error {
	if len(p.Attachments) == 0 {
		return fmt.Errorf("must have at least one size, such as 64KiB")
	}
	for i, s := range p.Attachments {
		same := func(o mix.Size) bool { return o.Bytes == s.Bytes }
		switch {
		case s.Bytes < 0 || s.Bytes > largest:
			return fmt.Errorf("must be 0 to %s, got %s", unit.Bytes(largest), unit.Bytes(s.Bytes))
		case !mix.Valid(s.Weight):
			return fmt.Errorf("the weight of %s must be above 0, got %v", unit.Bytes(s.Bytes), s.Weight)
		case slices.ContainsFunc(p.Attachments[:i], same):
			return fmt.Errorf("%s is there twice", unit.Bytes(s.Bytes))
		}
	}
	return nil
}

// sending is the share of actions that send a message.
func (p *Parameters) sending() float64 {
	all := 0.0
	for _, v := range p.Mix {
		all += v.Weight
	}
	if all == 0 {
		return 0
	}
	return (p.Mix.Of(send) + p.Mix.Of(reply) + p.Mix.Of(forward)) / all
}

// rate is how many actions a second each user begins.
func (p *Parameters) rate() float64 {
	if p.Sends == 0 || p.sending() == 0 {
		return 0
	}
	return p.Sends / 60 / 1000 / p.sending()
}

// average is the mean size of a message, in bytes.
func (p *Parameters) average() float64 {
	bytes, weights := 0.0, 0.0
	for _, s := range p.Attachments {
		bytes += float64(s.Bytes) * s.Weight
		weights += s.Weight
	}
	return float64(p.Text) + bytes/weights*4/3
}

// does reports whether a verb occurs. Messages are always sent, because other verbs need
// one.
func (p *Parameters) does(verb string) bool { return verb == send || p.Mix.Of(verb) > 0 }

// operations are the unit of work, the verbs that occur, and the delivery.
func (p *Parameters) operations() []string {
	names := []string{"action"}
	for _, verb := range verbs() {
		if p.does(verb) {
			names = append(names, verb)
		}
	}
	return append(names, delivery)
}

// numbers returns the number of each operation.
func (p *Parameters) numbers() map[string]int {
	all := map[string]int{}
	for i, name := range p.operations() {
		all[name] = i
	}
	return all
}

// unused lists the keys that have no effect given the mix.
func (p *Parameters) unused() []string {
	if p.does(idle) {
		return nil
	}
	return []string{"idle"}
}

// shape identifies the properties of the data set that users depend on.
func (p *Parameters) shape(users int64) string {
	return fmt.Sprintf("%d mailboxes, %d messages each of %s and attachments of %s", users, p.Messages, p.Text, p.Attachments)
}
