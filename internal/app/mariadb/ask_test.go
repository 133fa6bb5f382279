package mariadb

import (
	"slices"
	"testing"
)

func TestRights(t *testing.T) {
	for _, c := range []struct {
		grants []string
		lacks  []string
		writes bool
	}{
		{[]string{"GRANT ALL PRIVILEGES ON *.* TO `a`@`%` IDENTIFIED BY PASSWORD '*1' WITH GRANT OPTION"}, nil, true},
		{[]string{"GRANT USAGE ON *.* TO `a`@`%`", "GRANT ALL PRIVILEGES ON `shop\\_1`.* TO `a`@`%`"}, nil, false},
		{[]string{"GRANT USAGE ON *.* TO `a`@`%`", "GRANT ALL PRIVILEGES ON `sh%`.* TO `a`@`%`"}, nil, false},
		{[]string{"GRANT USAGE ON *.* TO `a`@`%`", "GRANT ALL PRIVILEGES ON `shop\\_2`.* TO `a`@`%`"}, needed(), false},
		{[]string{"GRANT READ_ONLY ADMIN ON *.* TO `a`@`%`", "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, REFERENCES, INDEX, ALTER ON `shop_1`.* TO `a`@`%`"}, []string{"DROP"}, true},
		{[]string{"GRANT `shopper` TO `a`@`%`", "GRANT USAGE ON *.* TO `a`@`%`"}, nil, false},
		{[]string{"GRANT USAGE ON *.* TO `a`@`%`", "GRANT SELECT ON `shop_1`.`t` TO `a`@`%`"}, needed(), false},
	} {
		r := rightsOf(c.grants, "shop_1")
		if got := r.lacks(); !slices.Equal(got, c.lacks) && len(got)+len(c.lacks) > 0 || r.writesAnyway() != c.writes {
			t.Errorf("%q: lacks %q, writes anyway: %t", c.grants, got, r.writesAnyway())
		}
	}
}
