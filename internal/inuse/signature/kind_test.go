package signature

import (
	"strings"
	"testing"
)

func TestParseKind(t *testing.T) {
	tests := []struct {
		name string
		want Kind
	}{
		{"ext", Ext}, {"ext2", Ext}, {"ext3", Ext}, {"EXT4", Ext}, {"vfat", FAT}, {"fat32", FAT}, {"dos", MBR},
		{"lvm2", LVM}, {"LVM2_member", LVM}, {"crypto_LUKS", LUKS}, {"linux_raid_member", MD}, {"isw_raid_member", IMSM},
		{"zfs_member", ZFS}, {"VMFS_volume_member", VMFS}, {"hfsplus", HFS}, {"ceph_bluestore", Ceph}, {" gpt ", GPT},
		{"swsuspend", Swap}, {"BitLocker", BitLocker},
	}
	for _, tt := range tests {
		if got, err := ParseKind(tt.name); err != nil || got != tt.want {
			t.Errorf("%q: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
	for _, name := range []string{"", "ext5", "all", "gpt,mbr"} {
		if got, err := ParseKind(name); err == nil || !strings.Contains(err.Error(), "bcache") {
			t.Errorf("%q: %q, error %v without the kinds", name, got, err)
		}
	}
}

func TestKinds(t *testing.T) {
	seen := map[Kind]bool{}
	for _, k := range Kinds() {
		if got, err := ParseKind(string(k)); err != nil || got != k || seen[k] {
			t.Errorf("kind %q: parsed as %q, %v, seen before %t", k, got, err, seen[k])
		}
		seen[k] = true
	}
	for name, k := range aliases() {
		if !seen[k] || seen[Kind(name)] || name != strings.ToLower(name) {
			t.Errorf("alias %q of %q", name, k)
		}
	}
}
