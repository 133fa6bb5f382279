package gluster

import (
	"strings"
	"testing"

	"plimsoll/internal/storage"
)

// Gluster writes the paths of bricks unquoted into its command line and volume files,
// where a space ends them; "Commit failed" with other marks.
func TestBricksLieWhereGlusterCanNameThem(t *testing.T) {
	k := Kind{}
	for _, dir := range []string{"/var/tmp", "/mnt/Größe/漢字-🛟", "/a[1]/{b}~@x+y=z"} {
		if err := k.CheckPath(dir); err != nil {
			t.Error(err)
		}
	}
	for _, r := range " \t\\`\"'$#:;,*?!&|()<>%" {
		dir := "/a" + string(r) + "b"
		if err := k.CheckPath(dir); err == nil || !strings.Contains(err.Error(), "meaning") {
			t.Errorf("%q: %v", dir, err)
		}
		if _, err := k.New("pool", k.Defaults(), storage.Env{Scratch: dir}); err == nil {
			t.Errorf("a pool was made below %q", dir)
		}
	}
}
