package capability_test

import (
	"slices"
	"testing"

	"plimsoll/internal/describe/capability"
)

type some struct {
	Fly  func() `has:"fly"`
	Swim func() `has:"swim"`
	More struct {
		Sings bool `has:"sing"`
	}
	Reader interface{ Read() } `has:"read"`
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
	if got := capability.Missing(have); !slices.Equal(got, []string{"fly"}) {
		t.Errorf("%q", got)
	}
	if got := capability.Missing(some{}); !slices.Equal(got, []string{"fly", "swim", "sing", "read"}) {
		t.Errorf("%q", got)
	}
	if got := capability.Of(some{}); got != nil {
		t.Errorf("nothing can do %q", got)
	}
}
