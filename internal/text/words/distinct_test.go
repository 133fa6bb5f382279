package words_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-runewidth"
	"pgregory.net/rapid"

	"plimsoll/internal/text/words"
)

func TestDistinct(t *testing.T) {
	for name, c := range map[string]struct {
		names []string
		width int
		want  []string
	}{
		"all fit":      {[]string{"hdd", "ssd"}, 10, []string{"hdd", "ssd"}},
		"common start": {[]string{"innodb_flush_log_at_trx_commit1", "innodb_flush_log_at_trx_commit2"}, 12, []string{"…commit1", "…commit2"}},
		"common ends":  {[]string{"gluster-ssd-replica-3", "gluster-hdd-replica-3"}, 12, []string{"…ssd…", "…hdd…"}},
		"middle":       {[]string{"a-very-long-name-of-a-variant", "b"}, 11, []string{"a-ver…riant", "b"}},
		"same ends":    {[]string{"abcdefgh1ijklmnop", "abcdefgh2ijklmnop"}, 7, []string{"abc…nop", "abc…n#2"}},
		"cut twice":    {[]string{"b-1-1", "b-111", "b-11µ", "b-1aµ", "a"}, 4, []string{"b-…1", "b-#2", "b-…µ", "b-#3", "a"}},
		"one":          {[]string{"a-very-long-name-of-a-variant"}, 7, []string{"a-v…ant"}},
		"words": {[]string{"replicated-operation-create-size32kib-files240", "replicated-operation-read-size32kib-files240", "dispersed-operation-read-size4mib-files20"}, 30,
			[]string{"replic…-create-…e32kib-…les240", "replic…-read-…e32kib-…les240", "dispers…-read-size4mib-files20"}},
		"one in another": {[]string{"disk-with-a-name", "disk-with-a-name-2"}, 8, []string{"…name", "…name-2"}},
	} {
		if diff := cmp.Diff(c.want, words.Distinct(c.names, c.width)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestDistinctNamesStayDistinctAndFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[ab]{1,4}(-[ab1µ]{1,9}){0,4}`)
		names := rapid.SliceOfNDistinct(name, 1, 6, rapid.ID[string]).Draw(t, "names")
		width := rapid.IntRange(4, 30).Draw(t, "width")
		short := words.Distinct(names, width)
		for i, s := range short {
			if runewidth.StringWidth(s) > width {
				t.Errorf("%q is wider than %d", s, width)
			}
			if slices.Contains(short[:i], s) {
				t.Errorf("%q stands for two of %q", s, names)
			}
		}
	})
}
