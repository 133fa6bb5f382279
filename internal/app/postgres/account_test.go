package postgres

import (
	"os"
	"testing"
)

func TestUserWithoutAnAccountIsToldBeforeInitdbFails(t *testing.T) {
	if err := hasAccount(os.Geteuid()); err != nil {
		t.Errorf("the user of this test: %v", err)
	}
	if err := hasAccount(2_000_000_001); err == nil {
		t.Error("a user without an account was accepted")
	}
}
