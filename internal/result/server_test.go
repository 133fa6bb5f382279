package result_test

import (
	"testing"

	"plimsoll/internal/result"
)

// A role whose name begins with another's has servers of its own.
func TestServersBelongToOneRole(t *testing.T) {
	shop, db := result.Server{Role: "shop"}, result.Server{Role: "shop-db"}
	for series, want := range map[string][2]bool{
		"shop-000": {true, false}, "shop-003-1": {true, false}, "shop-db-000": {false, true}, "shop-db-1000-12": {false, true},
		"shop-000/workers": {true, false}, "shop-000-1/workers": {true, false}, "shop-db-001/threads": {false, true}, "shop/workers": {},
		"shop": {}, "shop-": {}, "shop-db": {}, "shop-000-": {}, "shop-000-1-2": {}, "driver-0": {},
	} {
		if got := [2]bool{shop.Runs(series), db.Runs(series)}; got != want {
			t.Errorf("%s: shop %v, shop-db %v", series, got[0], got[1])
		}
	}
}
