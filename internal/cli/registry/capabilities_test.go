package registry_test

import (
	"slices"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/describe/capability"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/device"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/storage/external"
	"plimsoll/internal/storage/s3"
)

// A kind lists what its classes can do, whatever their parameters.
func TestKindsListWhatTheirClassesCanDo(t *testing.T) {
	of := map[string][]any{
		"disk":     {&disk.Parameters{Media: "hdd-7200", MountOptions: "noatime", Tier: &disk.Tier{Size: 1 << 30}}},
		"s3":       {&s3.Parameters{URLs: []string{"http://store.example:9000"}, AccessKeyEnv: "A", SecretKeyEnv: "S", Region: "r", Addressing: s3.Path}},
		"device":   {&device.Parameters{Devices: []string{"/dev/sdx"}, Destroy: true}},
		"external": {&external.Parameters{Text: "theirs"}},
	}
	for name, k := range registry.Kinds() {
		parameters := of[name]
		if len(k.Validate(k.Defaults())) == 0 {
			parameters = append(parameters, k.Defaults())
		}
		for _, p := range parameters {
			class, err := k.New("one", p, storage.Env{RunID: "r"})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			listed := capability.Of(k.Capabilities().Class)
			for _, can := range capability.Of(class.Capabilities()) {
				if !slices.Contains(listed, can) {
					t.Errorf("%s can %q with %+v, and does not list it", name, can, p)
				}
			}
		}
		if len(parameters) == 0 {
			t.Errorf("%s: no parameters are tried", name)
		}
	}
}

// Giving back asks the kind or the engine itself, in the middle of what is found by its ability.
func TestWhoGivesBackIsAble(t *testing.T) {
	for name, e := range registry.Engines() {
		can := e.Capabilities()
		if _, is := e.(app.Borrower); is != (can.Borrower != nil) || can.Ask != nil && !is {
			t.Errorf("%s: it borrows %t, and its capabilities are %q", name, is, capability.Of(can))
		}
	}
	for name, k := range registry.Kinds() {
		if _, is := k.(storage.Lender); is != (k.Capabilities().Lender != nil) {
			t.Errorf("%s: it lends %t, and its capabilities are %q", name, is, capability.Of(k.Capabilities()))
		}
	}
}
