package device

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// signature is what marks data of one kind: bytes at an offset, from the end
// where it is negative.
type signature struct {
	kind   string
	offset int64
	magic  string
}

// signatures are the signatures of file systems, volume managers and partition tables that
// are likely on a server's drives, taken from libblkid's documentation and the formats'
// specifications. No maintained Go library knows them all, and blkid need not be installed.
func signatures() []signature {
	all := []signature{
		{"an XFS file system", 0, "XFSB"},
		{"an ext2, ext3 or ext4 file system", 0x438, "\x53\xef"},
		{"a Btrfs file system", 0x10040, "_BHRfS_M"},
		{"an F2FS file system", 0x400, "\x10\x20\xf5\xf2"},
		{"a bcachefs or bcache device", 0x1018, "\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"},
		{"a bcachefs device", 0x1018, "\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"},
		{"an NTFS file system", 3, "NTFS    "},
		{"an exFAT file system", 3, "EXFAT   "},
		{"a FAT file system", 0x36, "FAT1"},
		{"a FAT file system", 0x52, "FAT32   "},
		{"a GFS2 file system", 0x10000, "\x01\x16\x19\x70"},
		{"an OCFS2 file system", 0x2000, "OCFSV2"},
		{"a SquashFS file system", 0, "hsqs"},
		{"an EROFS file system", 0x400, "\xe2\xe1\xf5\xe0"},
		{"an ISO 9660 file system", 0x8001, "CD001"},
		{"a JFS file system", 0x8000, "JFS1"},
		{"a ReiserFS file system", 0x10034, "ReIsEr"},
		{"a LUKS encrypted device", 0, "LUKS\xba\xbe"},
		{"a Ceph BlueStore device", 0, "bluestore block device"},
		{"an Oracle ASM disk", 32, "ORCLDISK"},
		{"a VMware VMFS volume", 0x200000, "\x5e\xf1\xab\x2f"},
		{"a VDO device", 0, "dmvdo001"},
		{"a Stratis pool", 512 + 4, "!Stra0tis\x86\xff\x02^\x41rh"},
		{"a DRBD device", -4096, "\x83\x74\x02\x6b"},
		{"a member of an md RAID (version 1.1)", 0, "\xfc\x4e\x2b\xa9"},
		{"a member of an md RAID (version 1.2)", 0x1000, "\xfc\x4e\x2b\xa9"},
		{"a GUID partition table", 512, "EFI PART"},
		{"a GUID partition table", 4096, "EFI PART"},
		{"the copy of a GUID partition table", -512, "EFI PART"},
		{"the copy of a GUID partition table", -4096, "EFI PART"},
	}
	for sector := range int64(4) {
		all = append(all, signature{"a physical volume of LVM", sector * 512, "LABELONE"})
	}
	for _, page := range []int64{4096, 8192, 16384, 65536} {
		all = append(all, signature{"swap space", page - 10, "SWAPSPACE2"}, signature{"swap space", page - 10, "SWAP-SPACE"})
	}
	for _, label := range []int64{128 << 10, 384 << 10} { // the first uberblocks of labels 0 and 1
		for _, magic := range []string{"\x0c\xb1\xba\x00\x00\x00\x00\x00", "\x00\x00\x00\x00\x00\xba\xb1\x0c"} {
			all = append(all, signature{"a member of a ZFS pool", label, magic})
		}
	}
	return all
}

// medium is what signatures are looked for on.
type medium struct {
	io.ReaderAt
	size int64
}

// find names what data a medium holds, empty when nothing known. What ours says
// is our own is passed over.
func (m medium) find(ours func(offset int64) bool) (string, error) {
	for _, s := range signatures() {
		there, err := m.has(s)
		if err != nil {
			return "", err
		}
		if there && !ours(m.absolute(s.offset)) {
			return s.kind, nil
		}
	}
	for _, find := range []func() (kind string, offset int64, err error){m.partitions, m.raidAtEnd} {
		kind, offset, err := find()
		if err != nil {
			return "", err
		}
		if kind != "" && !ours(offset) {
			return kind, nil
		}
	}
	return "", nil
}

func (m medium) absolute(offset int64) int64 {
	if offset < 0 {
		return m.size + offset
	}
	return offset
}

func (m medium) has(s signature) (bool, error) {
	found, err := m.bytes(m.absolute(s.offset), len(s.magic))
	return bytes.Equal(found, []byte(s.magic)), err
}

// bytes reads up to n bytes at an offset; there are none beyond the end of the medium.
func (m medium) bytes(offset int64, n int) ([]byte, error) {
	if offset < 0 || offset+int64(n) > m.size {
		return nil, nil
	}
	b := make([]byte, n)
	if _, err := m.ReadAt(b, offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("look for a signature at offset %d: %w", offset, err)
	}
	return b, nil
}

// partitions looks for an MBR: the boot signature and at least one entry whose
// status is 0 or 0x80 and that has a type and a length.
func (m medium) partitions() (kind string, offset int64, err error) {
	const entries, entrySize, boot = 446, 16, 510
	b, err := m.bytes(0, 512)
	if err != nil || b == nil || b[boot] != 0x55 || b[boot+1] != 0xaa {
		return "", 0, err
	}
	used := false
	for i := range 4 {
		e := b[entries+i*entrySize:][:entrySize]
		if e[0]&0x7f != 0 {
			return "a boot sector", 0, nil
		}
		used = used || e[4] != 0 && binary.LittleEndian.Uint32(e[12:]) != 0
	}
	if used {
		return "a partition table (MBR)", 0, nil
	}
	return "a boot sector or an empty partition table (MBR)", 0, nil
}

// raidAtEnd looks for superblocks of md 0.90 and 1.0, whose places depend on
// the size (md(4): 64 KiB-aligned, 64 to 128 KiB from the end; 8 to 12 KiB).
func (m medium) raidAtEnd() (kind string, offset int64, err error) {
	for version, at := range map[string]int64{
		"0.90": m.size&^(64<<10-1) - 64<<10,
		"1.0":  (m.size - 8<<10) &^ (4<<10 - 1),
	} {
		there, err := m.has(signature{"", max(0, at), "\xfc\x4e\x2b\xa9"})
		if err != nil {
			return "", 0, err
		}
		if there {
			return "a member of an md RAID (version " + version + ")", at, nil
		}
	}
	return "", 0, nil
}
