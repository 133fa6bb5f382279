package templates

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// Answers are those to the five questions, as given.
type Answers struct {
	Application string
	Storage     string // an absolute path
	Instances   string // how many at most
	Limit       string // a time, or an objective
	Price       string // an amount and a currency, or none
}

// Question is one of the five.
type Question struct {
	Flag    string        // that answers it on a command line
	Text    func() string // as asked
	Hint    func() string // what an answer may be
	Default func() string
	Answer  *string
	Check   func(answer string) error
}

// Questions are those that the answers are to, in the order in which they are asked:
// later defaults depend on earlier answers.
func (a *Answers) Questions() []Question {
	always := func(text string) func() string { return func() string { return text } }
	return []Question{
		{Flag: "application", Text: always("What application?"), Hint: applicationHint,
			Default: always("postgres"), Answer: &a.Application, Check: checkApplication},
		{Flag: "storage", Text: always("Where is the storage?"), Hint: always("the path of a directory on it, such as /mnt/fast"),
			Default: always(""), Answer: &a.Storage, Check: checkStorage},
		{Flag: "instances", Text: func() string { return "How many " + a.counted() + " at most?" }, Hint: func() string { return "a whole number" + a.eachOnVolume() + "; fewer are tried first" },
			Default: func() string { return strconv.Itoa(a.application().Most) }, Answer: &a.Instances, Check: a.checkInstances},
		{Flag: "limit", Text: always("What is slow enough to complain about?"), Hint: always(`a time that 95 % must keep, such as 200ms, or a limit such as "p99 <= 1s"`),
			Default: func() string { return a.application().Limit }, Answer: &a.Limit, Check: CheckLimit},
		{Flag: "price", Text: always("What does all of it cost for three years: storage, servers, licences?"),
			Hint: func() string {
				return `an amount and its currency, such as "12000 EUR"; with "none" the report cannot say what one of the ` + a.counted() + " costs"
			},
			Default: always(noPrice), Answer: &a.Price, Check: checkPrice},
	}
}

// counted are those that a rung counts, in the plural.
func (a *Answers) counted() string { return cmp.Or(a.application().Counted, "instances") }

// eachOnVolume says what volumes there are for so many.
func (a *Answers) eachOnVolume() string {
	app := a.application()
	switch {
	case app.Name == "":
		return ""
	case app.OfUsers:
		return ": of " + app.Counted + ", all on one volume"
	}
	return ": of " + app.Counted + ", each with " + app.With + " of its own"
}

// Set takes an answer, tidied, if it is possible.
func (q Question) Set(answer string) error {
	answer = strings.TrimSpace(answer)
	if i := strings.IndexFunc(answer, unicode.IsControl); i >= 0 {
		return errors.New("the answer has a control character")
	}
	if q.Flag == "storage" && answer != "" {
		if full, err := filepath.Abs(answer); err == nil {
			answer = full
		}
	}
	if err := q.Check(answer); err != nil {
		return err
	}
	*q.Answer = answer
	return nil
}

func (a *Answers) application() Application {
	app, _ := application(a.Application)
	return app
}

// Names returns the names of all applications.
func Names() (all []string) {
	for _, a := range Applications() {
		all = append(all, a.Name)
	}
	return all
}

func applicationHint() string {
	lines := []string{"one of"}
	for _, a := range Applications() {
		lines = append(lines, fmt.Sprintf("  %-11s %s", a.Name, a.Text))
	}
	return strings.Join(lines, "\n")
}

func checkApplication(answer string) error {
	if _, known := application(answer); known {
		return nil
	}
	if near := study.Nearest(answer, Names()); near != "" {
		return fmt.Errorf("there is no application %q; did you mean %s?", answer, near)
	}
	return fmt.Errorf("there is no application %q", answer)
}

func checkStorage(answer string) error {
	if answer == "" {
		return errors.New("no directory was given")
	}
	info, err := os.Stat(answer)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s does not exist", answer)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is a file, not a directory", answer)
	}
	return nil
}

// mostInstances is far beyond what one machine carries.
const mostInstances = 10_000

func (a *Answers) checkInstances(answer string) error {
	n, err := strconv.Atoi(answer)
	if err != nil || n < 1 || n > mostInstances {
		return fmt.Errorf("%q is not a whole number from 1 to %d", answer, mostInstances)
	}
	return nil
}

// CheckLimit returns an error if an answer is not a limit of the response time.
func CheckLimit(answer string) error {
	if !strings.ContainsAny(answer, "<≤>") {
		var d unit.Duration
		if err := d.UnmarshalText([]byte(answer)); err != nil {
			return err
		}
	}
	o, err := study.ParseObjective(objective(answer))
	switch {
	case err != nil:
		return err
	case o.Operation != "" || o.IsShare():
		return fmt.Errorf("%q is not a limit of the response time", answer)
	}
	return nil
}

const noPrice = "none"

func checkPrice(answer string) error {
	_, _, err := price(answer)
	return err
}

// price reads an amount and a currency; neither where there is none.
func price(answer string) (amount, currency string, err error) {
	if answer == "" || answer == noPrice {
		return "", "", nil
	}
	fields := strings.Fields(answer)
	if len(fields) != 2 {
		return "", "", fmt.Errorf("%q is not an amount and a currency", answer)
	}
	amount, currency = fields[0], strings.ToUpper(fields[1])
	if n, err := strconv.ParseFloat(amount, 64); err != nil || n < 0 || strings.Trim(amount, "0123456789.") != "" {
		return "", "", fmt.Errorf("%q is not an amount: digits without separators, such as 12000 or 99.50", amount)
	}
	if !study.IsCurrency(currency) {
		return "", "", fmt.Errorf("%q is not a currency: a code of ISO 4217, such as USD or EUR", currency)
	}
	return amount, currency, nil
}
