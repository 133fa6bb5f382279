package app

import (
	"context"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/event"
)

// Capabilities are the optional abilities of an engine and its servers; a missing one is zero.
// The tag names an ability in lists.
type Capabilities struct {
	// Checker looks for the engine's requirements on the machine.
	Checker    doctor.Checker   `has:"checks of its requirements"`
	Config     ConfigChecker    `has:"a check of settings before a start"`
	Durability DurabilityReader `has:"settings of durability that are read"`
	// Check reads everything that the server stores in the target's database and compares:
	// pages with their checksums, tables with their indices, as far as the installation
	// can. The target is Admin's. Corruption it finds is a check that did not pass. An
	// error means that it could not finish; the checks made until then come with it.
	Check func(ctx context.Context, t endpoint.Endpoint) ([]describe.Check, error) `has:"a check of its own files"`
	// Actor has servers do something while users are at work.
	Actor    Actor    `has:"events while users are at work"`
	Borrower Borrower `has:"databases on existing servers"`
	// Ask connects to a server and reads, before anything is made there, whether the
	// endpoint's user can use it as a run does. The error is the reason why there is no
	// connection. A Borrower alone has it.
	Ask func(ctx context.Context, e endpoint.Endpoint) (ServerAccess, error) `has:"questions to existing servers"`
	// Sessions opens a session that lists the others of the endpoint's database. It fails with
	// ErrHidden if the endpoint's account may not see what they do.
	Sessions func(ctx context.Context, e endpoint.Endpoint) (Sessions, error) `has:"a list of what sessions do"`
	Meter    Meter                                                            `has:"a count of busy workers"`
	// Connections is the most that one server has open to a peer. Without it, a server opens
	// one for each user.
	Connections func(c Config) int `has:"pools of connections"`
	// SharesVolumes reports that servers can work on the same volumes at once and serve the
	// same data. Where an instance has several of them, all use the volumes of the first.
	SharesVolumes bool `has:"volumes shared between servers"`
	// Direct reports whether a server is set to move its data past the memory of its machine.
	Direct func(c Config) bool `has:"I/O past the page cache"`
	// Overwritten are patterns (path.Match, from the root of the volume) of files that servers
	// write over in place from the first moment on, such as a log of fixed size. Where a clone
	// shares blocks with its golden volume, every first write to one must find a new place for
	// it, which halves the commits of a hard disk until a log has been written once.
	Overwritten []string `has:"files that clones must not share"`
	// Image is the usual reference for a version (empty for the newest) in a container
	// registry: one with the programs that Find looks for.
	Image func(version string) string `has:"a container image"`
	// Builtin reports that servers are this program: they run in its own image.
	Builtin bool `has:"servers that are Plimsoll itself"`
	// Notes are remarks for the results of servers, for example that they simulate something.
	Notes func(c Config) []string `has:"remarks on results"`
	// Untested names in a clause what was never run against a real server. A study on such
	// an engine is refused unless the user allows it by the engine's name, and its results
	// say so.
	Untested string `has:"code that was never tried on a real server"`
}

// Actor has the servers of an engine do events.
type Actor interface {
	// Events declares what they can do.
	Events() event.Declaration
	// Do has a server do an event of the declaration, and returns when it is done. The
	// endpoint is the administrator's.
	Do(ctx context.Context, e event.Event, server endpoint.Endpoint) error
}

// CapabilitiesOf are an engine's; no engine has none.
func CapabilitiesOf(e Engine) Capabilities {
	if e == nil {
		return Capabilities{}
	}
	return e.Capabilities()
}
