package peers

import (
	"plimsoll/internal/describe/event"
	"plimsoll/internal/host/simnet"
	"plimsoll/internal/study"
)

// Verbs are the verbs for a pool's machines and their links, one link for each machine.
// noPower says why their power cannot be cut; nil if it can. A class adds its own parts.
func Verbs(machines int, noPower error) []event.Verb {
	peer := event.Object{Form: event.Numbered, Kind: "peer", Last: machines}
	link := event.Object{Form: event.Numbered, Kind: "link", Last: machines}
	return []event.Verb{
		{Name: "kill", Object: peer, Breaks: true, Note: event.Crash, Text: "kills the processes of a peer, until it is restarted"},
		{Name: study.CutPower, Breaks: true, CutsPower: true, Missing: noPower, Text: "cuts the power of the whole pool and its clients; everything comes back at once"},
		{Name: study.CutPower, Object: peer, Breaks: true, CutsPower: true, Missing: noPower, Text: "cuts the power of a peer, until it is restarted"},
		{Name: "restart", Object: peer, Undoes: []string{"kill", study.CutPower}, Text: "starts a peer again"},
		{Name: "cut", Object: link, Breaks: true, Text: "cuts the link of a peer, until it is restored"},
		{Name: "restore", Object: link, Undoes: []string{"cut", "degrade"}, Text: "gives the link of a peer its full rate back"},
		{Name: "degrade", Object: link, Argument: "RATE", Argue: rate, Breaks: true, Text: "limits the link of a peer to a rate such as 100mbit, until it is restored"},
	}
}

func rate(text string) error {
	_, err := simnet.ParseRate(text)
	return err
}

// Left are the earlier events that still matter: after a power cut of the whole pool, only
// those that outlast it.
func Left(earlier []event.Event, outlasts func(event.Event) bool) (left []event.Event) {
	for _, e := range earlier {
		if e.Verb.CutsPower && e.Part() == "" {
			var kept []event.Event
			for _, l := range left {
				if outlasts(l) {
					kept = append(kept, l)
				}
			}
			left = kept
		}
		left = append(left, e)
	}
	return left
}
