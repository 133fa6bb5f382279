package study

import "errors"

var errUnfinished = errors.New("study: being written")

// Parse reads a study, with the named profile applied ("" for none). The
// error is a *Problems.
func Parse(file string, data []byte, profile string, v Vocabulary) (*Study, error) {
	return nil, errUnfinished
}

// Profiles lists the names of the profiles in a study file, in file order.
func Profiles(data []byte) []string { return nil }

// Fallbacks replaces every storage class that is not usable by its
// "otherwise", and says so in the returned notes.
func (s *Study) Fallbacks(usable func(Storage) error) []string { return nil }

// Expand gives the variants.
func (s *Study) Expand() ([]Variant, error) { return nil, errUnfinished }

// Rebind gives a study that came out of JSON its typed parameters back.
func Rebind(s *Study, v Vocabulary) error { return errUnfinished }

// RebindVariant does for a variant what Rebind does for a study.
func RebindVariant(variant *Variant, v Vocabulary) error { return errUnfinished }

// Schema gives the JSON Schema of study files.
func Schema(v Vocabulary) ([]byte, error) { return nil, errUnfinished }
