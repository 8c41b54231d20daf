package sata

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// sysTree is a /sys in memory.
type sysTree struct{ fstest.MapFS }

// disk adds a disk: the SCSI device's folder, attributes of it, and attributes
// of the block device.
func (s sysTree) disk(number, device, name string, deviceAttributes, blockAttributes map[string]string) {
	block := path.Join(device, "block", name)
	s.link("dev/block/"+number, "../../"+block)
	s.text(block+"/dev", number)
	for k, v := range blockAttributes {
		s.text(path.Join(block, k), v)
	}
	s.text(device+"/scsi_level", "6")
	s.text(device+"/type", "0")
	for k, v := range deviceAttributes {
		s.text(path.Join(device, k), v)
	}
}

func (s sysTree) text(name, text string) { s.MapFS[name] = &fstest.MapFile{Data: []byte(text + "\n")} }

func (s sysTree) link(name, target string) {
	s.MapFS[name] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink}
}

const (
	ataDevice = "devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0"
	usbDevice = "devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1.4/2-1.4:1.0/host6/target6:0:0/6:0:0:0"
)

func tree() sysTree {
	s := sysTree{fstest.MapFS{}}
	s.disk("8:0", ataDevice, "sda",
		map[string]string{"vendor": "ATA     ", "model": "Samsung SSD 860 ", "rev": "DB6Q"},
		map[string]string{"size": "937703088", "ro": "0", "removable": "0", "queue/logical_block_size": "512", "queue/physical_block_size": "4096"})
	s.text("devices/pci0000:00/0000:00:17.0/ata1/host0/scsi_host/host0/proc_name", "ahci")
	part := ataDevice + "/block/sda/sda1"
	s.link("dev/block/8:1", "../../"+part)
	s.text(part+"/partition", "1")
	s.disk("8:16", usbDevice, "sdb",
		map[string]string{"vendor": "Realtek", "model": "RTL9210\x1b[31m", "rev": "1.00"}, map[string]string{"size": "1953525168", "ro": "1", "removable": "1"})
	usb := "devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1.4"
	for k, v := range map[string]string{"idVendor": "0bda", "idProduct": "9210", "bcdDevice": "2001", "manufacturer": "Realtek", "product": "RTL9210B-CG", "speed": "10000"} {
		s.text(usb+"/"+k, v)
	}
	s.link(usb+"/2-1.4:1.0/driver", "../../../../../../../bus/usb/drivers/uas")
	return s
}

func TestLocate(t *testing.T) {
	sata := &Host{
		Disk: "sda", Transport: TransportATA, Driver: "ahci", Vendor: "ATA", Model: "Samsung SSD 860", Revision: "DB6Q",
		SizeBytes: 480103981056, LogicalSectorBytes: 512, PhysicalSectorBytes: 4096, number: "8:0",
	}
	part := *sata
	part.Partition = "sda1"
	tests := []struct {
		number string
		want   *Host
	}{
		{"8:0", sata},
		{"8:1", &part},
		{"8:16", &Host{
			Disk: "sdb", Transport: TransportUSB, Vendor: "Realtek", Model: "RTL9210\uFFFD[31m", Revision: "1.00", SizeBytes: 1000204886016, ReadOnly: true, Removable: true, number: "8:16",
			USB: &USB{VendorID: 0x0BDA, ProductID: 0x9210, Release: "2001", Manufacturer: "Realtek", Product: "RTL9210B-CG", SpeedMbps: 10000, Driver: "uas", Bridge: "Realtek RTL9210", Behind: BehindEither},
		}},
	}
	for _, tt := range tests {
		got, err := Locate(tree(), tt.number)
		if err != nil {
			t.Errorf("%s: %v", tt.number, err)
			continue
		}
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(Host{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.number, diff)
		}
	}
}

func TestLocateRefuses(t *testing.T) {
	s := tree()
	s.disk("11:0", "devices/pci0000:00/ata2/host1/target1:0:0/1:0:0:0", "sr0", map[string]string{"type": "5"}, nil)
	nvme := "devices/pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1"
	s.link("dev/block/259:0", "../../"+nvme)
	s.text(nvme+"/dev", "259:0")
	tests := []struct{ number, text string }{
		{"7:0", "sysfs does not know it"},
		{"11:0", "SCSI device type 5"},
		{"259:0", "nvme0n1 is not on the kernel's SCSI layer"},
	}
	for _, tt := range tests {
		h, err := Locate(s, tt.number)
		if !errors.Is(err, ErrNotDisk) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: got %+v, %v, want %q", tt.number, h, err, tt.text)
		}
	}
}

func TestTransport(t *testing.T) {
	for device, want := range map[string]Transport{
		ataDevice: TransportATA,
		usbDevice: TransportUSB,
		"devices/pci0000:00/0000:03:00.0/host0/port-0:0/end_device-0:0/target0:0:0/0:0:0:0": TransportSAS,
		"devices/pci0000:00/0000:03:00.0/host0/rport-0:0-1/target0:0:0/0:0:0:0":             TransportFC,
		"devices/platform/host2/session1/target2:0:0/2:0:0:0":                               TransportISCSI,
		"devices/pci0000:00/0000:00:04.0/virtio1/host2/target2:0:0/2:0:0:0":                 TransportVirtio,
		"devices/pseudo_0/adapter0/host2/target2:0:0/2:0:0:0":                               TransportSCSI,
		// A name that only contains the word is none.
		"devices/myata1/host2/target2:0:0/2:0:0:0": TransportSCSI,
	} {
		if got := transportOf(device); got != want {
			t.Errorf("%s: got %s, want %s", device, got, want)
		}
	}
}

func TestUSBWithoutItsDevice(t *testing.T) {
	u := usbOf(fstest.MapFS{}, "devices/usb1/host0/target0:0:0/0:0:0:0")
	if diff := cmp.Diff(&USB{Behind: BehindUnknown}, u, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAdvice(t *testing.T) {
	usb := func(vendor, product uint16) *Host {
		chip, behind := bridge(vendor, product)
		return &Host{Disk: "sdb", Transport: TransportUSB, USB: &USB{VendorID: vendor, ProductID: product, Bridge: chip, Behind: behind}}
	}
	tests := []struct {
		name       string
		host       *Host
		speaks     bool
		text, hint string
	}{
		{"port", &Host{Disk: "sda", Transport: TransportATA, Vendor: "ATA"}, true, "", ""},
		{"SATA behind SAS", &Host{Disk: "sda", Transport: TransportSAS, Vendor: "ATA"}, true, "", ""},
		{"SAS", &Host{Disk: "sdc", Transport: TransportSAS, Vendor: "HGST"}, false, "sdc is a SAS drive", "speed"},
		{"network", &Host{Disk: "sdc", Transport: TransportISCSI, Vendor: "LIO-ORG"}, false, "a disk of a storage network", "speed"},
		{"virtual", &Host{Disk: "sdc", Transport: TransportVirtio, Vendor: "QEMU"}, false, "a virtual disk", "speed"},
		{"other", &Host{Disk: "sdc", Transport: TransportSCSI, Vendor: "X"}, false, "a SCSI disk", "speed"},
		{"NVMe bridge", usb(0x152D, 0x0583), false, "The USB bridge JMicron JMS583 (152d:0583) stands before an NVMe drive", "M.2 or PCIe slot"},
		{"SATA bridge", usb(0x152D, 0x0578), true, "stands before a SATA drive", "SATA port"},
		{"either", usb(0x0BDA, 0x9210), true, "an NVMe or a SATA drive", "M.2 or PCIe slot"},
		{"unknown", usb(0x1234, 0x5678), true, "A USB bridge (1234:5678) stands before a drive", "SATA port"},
	}
	for _, tt := range tests {
		a := tt.host.Advice()
		if tt.text == "" {
			if a != nil {
				t.Errorf("%s: advice %+v, want none", tt.name, a)
			}
		} else if a == nil || !strings.Contains(a.Text, tt.text) || !strings.Contains(a.Hint, tt.hint) {
			t.Errorf("%s: advice %+v, want %q and %q", tt.name, a, tt.text, tt.hint)
		}
		if err := tt.host.takesATA(); (err == nil) != tt.speaks || err != nil && !errors.Is(err, ErrNotATA) {
			t.Errorf("%s: takes ATA commands: %v, want %t", tt.name, err, tt.speaks)
		}
	}
}
