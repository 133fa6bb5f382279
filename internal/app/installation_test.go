package app_test

import (
	"errors"
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
)

func TestNewestInstallation(t *testing.T) {
	found := []app.Installation{{Version: "1.9.9"}, {Version: "1.22.1"}, {Version: "15.18"}, {Version: "15.2"}}
	for wanted, want := range map[string]string{
		"": "15.18", "15": "15.18", "15.2": "15.2", "15.1": "", "1": "1.22.1", "1.9": "1.9.9", "2": "",
	} {
		if got, ok := app.Newest(found, wanted); got.Version != want || ok != (want != "") {
			t.Errorf("the newest %q is %q, %v", wanted, got.Version, ok)
		}
	}
}

func TestOlderComparesNumbers(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"10.5.9", "10.6"}: true, {"10.11.6", "10.6"}: false, {"10.6", "10.6"}: false, {"9", "10"}: true, {"any", "10"}: true,
	} {
		if got := app.Older(pair[0], pair[1]); got != want {
			t.Errorf("%v: %v", pair, got)
		}
	}
}

func TestNotInstalled(t *testing.T) {
	found := []app.Installation{{Version: "8.2.1"}, {Version: "8.10.0"}}
	if err := app.NotInstalled("PHP", "9", found, "run `x`"); err.Error() != "PHP 9 is not installed (found: 8.10.0, 8.2.1): run `x`" {
		t.Error(err)
	}
	if err := app.NotInstalled("PHP", "", nil, "run `x`"); err.Error() != "PHP is not installed (found: none): run `x`" {
		t.Error(err)
	}
}

// Parts that can be fetched make an installation that can be; one that cannot is the reason.
func TestWhatCanBeFetched(t *testing.T) {
	in := app.Installation{Engine: "db", Version: "9"}
	part := func(what string) error {
		return &app.FetchableError{Missing: errors.New("no " + what), What: []string{what + " (1 MB)"}}
	}
	var all *app.FetchableError
	if err := app.Fetchable(in, part("server"), nil, part("runtime")); !errors.As(err, &all) || all.In.Version != "9" || strings.Join(all.What, ", ") != "server (1 MB), runtime (1 MB)" {
		t.Errorf("%+v", err)
	}
	if err := app.Fetchable(in, part("server"), errors.New("no runtime for this machine")); errors.As(err, &all) || !strings.Contains(err.Error(), "no runtime for this machine") {
		t.Errorf("%+v", err)
	}
	if err := app.Fetchable(in, nil, nil); err != nil {
		t.Error(err)
	}
}

func TestMemoryIsBoundByTheLimit(t *testing.T) {
	for limit, want := range map[int64]int64{0: 100, 50: 50, 200: 100} {
		if got := (describe.Limits{Memory: limit}).Bound(100); got != want {
			t.Errorf("with a limit of %d: %d", limit, got)
		}
	}
}
