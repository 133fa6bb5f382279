package storagetest

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"plimsoll/internal/storage"
)

// Helper is something that a test binary does in a process of its own.
type Helper func(ctx context.Context, arguments []string) error

const writerCommand = "storagetest-writer"

// Main is the TestMain of packages that use the suite. A binary that is
// started with the name of a helper as its first argument is that helper.
func Main(m *testing.M, helpers map[string]Helper) {
	if len(os.Args) > 1 {
		helper := helpers[os.Args[1]]
		if os.Args[1] == writerCommand {
			helper = writeRecords
		}
		if helper != nil {
			os.Exit(runHelper(helper, os.Args[2:]))
		}
	}
	os.Exit(m.Run())
}

func runHelper(helper Helper, arguments []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := helper(ctx, arguments); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// writeRecords appends numbers to a file, flushes each, and says it on stdout.
func writeRecords(_ context.Context, arguments []string) error {
	f, err := os.OpenFile(arguments[0], os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	for i := uint64(1); ; i++ {
		if err := binary.Write(f, binary.LittleEndian, i); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

// survivesItsWriter kills a process that writes and looks for every record
// that it said was flushed.
func survivesItsWriter(t *testing.T, b *bench) {
	b.up()
	v, err := b.class.Provision(b.ctx, storage.Claim{Name: b.named("one")})
	b.must("provision", err)
	_, err = b.class.Settle(b.ctx)
	b.must("settle", err)
	path := filepath.Join(v.Path, "records")
	acknowledged := b.writeUntil(path, 25, func() {})
	if _, err := b.class.Settle(b.ctx); err != nil {
		t.Errorf("settle: %v", err)
	}
	b.must("find the records", CheckRecords(path, acknowledged))
	b.must("delete", b.class.Delete(b.ctx, v))
}

// CheckRecords looks for every record that a writer said was flushed.
func CheckRecords(path string, acknowledged int) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if len(data)/8 < acknowledged {
		return fmt.Errorf("%d records were flushed, %d are there", acknowledged, len(data)/8)
	}
	for i := range acknowledged {
		if got := binary.LittleEndian.Uint64(data[8*i:]); got != uint64(i+1) {
			return fmt.Errorf("record %d is %d", i+1, got)
		}
	}
	return nil
}

// writeUntil runs a writer as the owner of volumes until it has said so many
// records, does something to the storage, and kills it in the middle of its
// work. It gives how many records it said in all.
func (b *bench) writeUntil(path string, records int, then func()) (acknowledged int) {
	b.t.Helper()
	command := exec.CommandContext(b.ctx, b.env.Executable, writerCommand, path)
	if os.Geteuid() == 0 {
		command = b.asOwner(command, path)
	}
	out, err := command.StdoutPipe()
	b.must("start a writer", err)
	command.Stderr = b.t.Output()
	b.must("start a writer", command.Start())
	lines := bufio.NewScanner(out)
	hear := func() bool {
		if !lines.Scan() {
			return false
		}
		acknowledged, err = strconv.Atoi(strings.TrimSpace(lines.Text()))
		b.must("hear the writer", err)
		return true
	}
	for acknowledged < records && hear() {
	}
	if acknowledged < records {
		b.t.Errorf("the writer ended after %d records", acknowledged)
	}
	then()
	_ = command.Process.Kill() // that is the point
	for hear() {
	}
	_ = command.Wait()
	return acknowledged
}

// asOwner runs a command as the user that a file's volume belongs to. The binary is
// passed open, since that user need not be able to reach it.
func (b *bench) asOwner(command *exec.Cmd, path string) *exec.Cmd {
	uid, gid := owner(b.t, filepath.Dir(path))
	binary, err := os.Open(command.Path)
	b.must("open the test binary", err)
	b.t.Cleanup(func() { _ = binary.Close() })
	command.ExtraFiles = []*os.File{binary}
	command.Path = "/proc/self/fd/3"
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	return command
}
