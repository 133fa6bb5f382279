package capability_test

import (
	"slices"
	"testing"

	"plimsoll/internal/describe/capability"
)

type some struct {
	Fly  func() `can:"fly"`
	Swim func() `can:"swim"`
	More struct {
		Sings bool `can:"sing"`
	}
	Reader interface{ Read() } `can:"read"`
}

type reader struct{}

func (reader) Read() {}

func TestWhatIsNotZeroIsListed(t *testing.T) {
	have := some{Swim: func() {}, Reader: reader{}}
	if got := capability.Of(have); !slices.Equal(got, []string{"swim", "read"}) {
		t.Errorf("%q", got)
	}
	have.More.Sings = true
	if got := capability.Of(have); !slices.Equal(got, []string{"swim", "sing", "read"}) {
		t.Errorf("%q", got)
	}
	if got := capability.All(some{}); !slices.Equal(got, []string{"fly", "swim", "sing", "read"}) {
		t.Errorf("%q", got)
	}
	if got := capability.Of(some{}); got != nil {
		t.Errorf("nothing can do %q", got)
	}
}
