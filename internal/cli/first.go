package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/cli/inspect"
	"plimsoll/internal/cli/place"
	"plimsoll/internal/cli/run"
	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/result"
	"plimsoll/internal/text/version"
	"plimsoll/internal/text/words"
)

// firstLook is what the program can do here, for somebody who called it without a command.
type firstLook struct {
	Version string         `json:"version"`
	Checks  map[string]int `json:"checks"` // how many checks of plimsoll doctor had each outcome
	Offers  []offer        `json:"offers"` // in the order in which to try them
}

// offer is one thing to do.
type offer struct {
	Command string `json:"command"`
	What    string `json:"what"`
	Blocked string `json:"blocked,omitempty"` // why it cannot be done here, and the fix
}

// first offers what can be done here where a person, or --json, asks; else it is help.
func first(s *command.State, c *cobra.Command) error {
	if s.Width == 0 && !s.JSON {
		return c.Help()
	}
	checks, err := inspect.Checks(s, place.Options{})
	if err != nil {
		return err
	}
	here, _ := os.Getwd() // where it is not known, there is nothing to try
	look := lookAround(checks, here, "runs")
	if s.JSON {
		return s.PrintJSON(look)
	}
	printFirst(s, look)
	return nil
}

// lookAround is a first look from what doctor found, a directory to try and one of runs.
func lookAround(checks []doctor.Check, here, runs string) firstLook {
	look := firstLook{Version: version.Get(), Checks: map[string]int{}}
	demo := offer{Command: "plimsoll demo", What: "a first answer without storage of yours, in a few minutes"}
	for _, c := range checks {
		look.Checks[string(c.Status)]++
		if c.Status == doctor.Fail && demo.Blocked == "" {
			demo.Blocked = c.Name + ": " + c.Found
			if c.Fix != "" {
				demo.Blocked += "; fix: " + c.Fix
			}
		}
	}
	look.Offers = append(look.Offers, demo)
	look.Offers = append(look.Offers, tryOffer(here))
	if dir, err := result.Latest(runs); err == nil {
		look.Offers = append(look.Offers,
			offer{Command: "plimsoll report " + words.Shell(dir), What: "the report of the newest run"},
			offer{Command: "plimsoll why " + words.Shell(dir), What: "what its verdict rests on"})
	}
	look.Offers = append(look.Offers,
		offer{Command: "plimsoll studies", What: "the built-in studies"},
		offer{Command: "plimsoll study new", What: "a study of your own, by a few questions"})
	return look
}

// tryOffer offers to try a directory, or one that the user names where this one cannot be tried.
func tryOffer(here string) offer {
	if here == "" || run.CheckDirectory(here) != nil {
		return offer{Command: "plimsoll try PATH", What: "a first answer for a directory on your storage"}
	}
	return offer{Command: "plimsoll try " + words.Shell(here), What: "a first answer for this directory; or name one on the storage that matters"}
}

func printFirst(s *command.State, look firstLook) {
	s.PrintWrapped("Plimsoll %s finds how many instances of an application your storage carries, and what limits them.", look.Version)
	s.PrintWrapped("\n%s", doctorLine(look.Checks))
	for _, o := range look.Offers {
		s.PrintWrapped("\n  %s", s.Spoken(o.Command))
		s.PrintWrapped("      %s", o.What)
		if o.Blocked != "" {
			s.PrintWrapped("      not here yet: %s", o.Blocked)
		}
	}
	s.PrintWrapped("\n%s", s.Spoken("plimsoll --help lists all commands."))
}

// doctorLine is what doctor found in a line.
func doctorLine(checks map[string]int) string {
	ok, warn, fail := checks[string(doctor.OK)], checks[string(doctor.Warn)], checks[string(doctor.Fail)]
	text := fmt.Sprintf("This machine: %s of %d fine", words.Count(ok, "check"), ok+warn+fail)
	if warn > 0 {
		text += fmt.Sprintf(", %d that limit some studies", warn)
	}
	if fail > 0 {
		text += fmt.Sprintf(", %d in the way of the demo", fail)
	}
	return text + " (plimsoll doctor lists them)."
}
