package sim

import (
	"fmt"
	"strings"
)

// The places of the simulated drive in the host's device tree.
const (
	rootPort     = "devices/pci0000:00/0000:00:06.0"
	pciAddress   = "0000:01:00.0"
	pciDevice    = rootPort + "/" + pciAddress
	controllerAt = pciDevice + "/nvme/nvme0"
	blockAt      = controllerAt + "/nvme0n1"
	genericAt    = controllerAt + "/ng0n1"
	subsystemAt  = "devices/virtual/nvme-subsystem/nvme-subsys0"
)

// Sysfs returns what a Linux host would show of the drive in /sys: path
// relative to /sys to the text of a file, and to the target of a link.
func (d *Drive) Sysfs() (texts, links map[string]string) {
	texts = map[string]string{}
	c := d.controller
	for at, files := range map[string]map[string]string{
		controllerAt: c.controllerFiles(),
		subsystemAt:  c.subsystemFiles(),
		blockAt:      c.blockFiles(),
		genericAt:    {"dev": "240:0", "uevent": "MAJOR=240\nMINOR=0\nDEVNAME=ng0n1"},
		pciDevice:    c.pciFiles(),
		rootPort:     c.portFiles(),
	} {
		for name, text := range files {
			texts[at+"/"+name] = text + "\n"
		}
	}
	return texts, sysfsLinks()
}

func sysfsLinks() map[string]string {
	return map[string]string{
		"class/nvme/nvme0":                           "../../" + controllerAt,
		"class/nvme-generic/ng0n1":                   "../../" + genericAt,
		"class/nvme-subsystem/nvme-subsys0":          "../../" + subsystemAt,
		"class/block/nvme0n1":                        "../../" + blockAt,
		"block/nvme0n1":                              "../" + blockAt,
		"dev/block/259:0":                            "../../" + blockAt,
		"dev/char/240:0":                             "../../" + genericAt,
		"dev/char/241:0":                             "../../" + controllerAt,
		"bus/pci/devices/" + pciAddress:              "../../../" + pciDevice,
		"bus/pci/devices/0000:00:06.0":               "../../../" + rootPort,
		subsystemAt + "/nvme0":                       "../../../pci0000:00/0000:00:06.0/" + pciAddress + "/nvme/nvme0",
		subsystemAt + "/subsystem":                   "../../../../class/nvme-subsystem",
		controllerAt + "/device":                     "../../../" + pciAddress,
		controllerAt + "/subsystem":                  up(controllerAt) + "class/nvme",
		blockAt + "/device":                          "../../nvme0",
		blockAt + "/subsystem":                       up(blockAt) + "class/block",
		genericAt + "/device":                        "../../nvme0",
		genericAt + "/subsystem":                     up(genericAt) + "class/nvme-generic",
		pciDevice + "/subsystem":                     up(pciDevice) + "bus/pci",
		pciDevice + "/driver":                        up(pciDevice) + "bus/pci/drivers/nvme",
		rootPort + "/subsystem":                      up(rootPort) + "bus/pci",
		rootPort + "/driver":                         up(rootPort) + "bus/pci/drivers/pcieport",
		"bus/pci/drivers/nvme/" + pciAddress:         "../../../../" + pciDevice,
		"bus/pci/drivers/pcieport/" + "0000:00:06.0": "../../../../" + rootPort,
	}
}

// up returns the way from a directory to the root of sysfs.
func up(dir string) string { return strings.Repeat("../", strings.Count(dir, "/")+1) }

func (c *controller) controllerFiles() map[string]string {
	return map[string]string{
		"address":      pciAddress,
		"cntlid":       fmt.Sprint(c.id.CNTLID),
		"cntrltype":    "reserved",
		"dev":          "241:0",
		"firmware_rev": string(c.id.FirmwareRevision[:]),
		"model":        string(c.id.ModelNumber[:]),
		"numa_node":    "0",
		"queue_count":  "9",
		"serial":       string(c.id.SerialNumber[:]),
		"sqsize":       "1023",
		"state":        "live",
		"subsysnqn":    c.subsystemNQN(),
		"transport":    "pcie",
		"uevent":       "MAJOR=241\nMINOR=0\nDEVNAME=nvme0\nNVME_TRTYPE=pcie",
	}
}

func (c *controller) subsystemFiles() map[string]string {
	return map[string]string{
		"firmware_rev": string(c.id.FirmwareRevision[:]),
		"iopolicy":     "numa",
		"model":        string(c.id.ModelNumber[:]),
		"serial":       string(c.id.SerialNumber[:]),
		"subsysnqn":    c.subsystemNQN(),
		"subsystype":   "nvm",
	}
}

// subsystemNQN returns the name that the kernel makes for a drive without one.
func (c *controller) subsystemNQN() string {
	if nqn := c.id.SUBNQN.String(); nqn != "" {
		return nqn
	}
	return fmt.Sprintf("nqn.2014.08.org.nvmexpress:%04x%04x%s%s",
		c.id.VID, c.id.SSVID, c.id.SerialNumber[:], c.id.ModelNumber[:])
}

// wwid returns the world wide identifier that the kernel makes for a namespace
// without EUI-64, NGUID and UUID.
func (c *controller) wwid() string {
	return fmt.Sprintf("nvme.%04x-%x-%x-%08x",
		c.id.VID, c.id.SerialNumber.String(), c.id.ModelNumber.String(), onlyNSID)
}

func (c *controller) blockFiles() map[string]string {
	block := fmt.Sprint(c.namespace.blockBytes())
	const sector = 512
	return map[string]string{
		"dev":                       "259:0",
		"hidden":                    "0",
		"nsid":                      fmt.Sprint(onlyNSID),
		"removable":                 "0",
		"ro":                        "0",
		"size":                      fmt.Sprint(c.namespace.bytes() / sector),
		"uevent":                    "MAJOR=259\nMINOR=0\nDEVNAME=nvme0n1\nDEVTYPE=disk\nDISKSEQ=1",
		"wwid":                      c.wwid(),
		"queue/hw_sector_size":      block,
		"queue/logical_block_size":  block,
		"queue/max_hw_sectors_kb":   fmt.Sprint(c.id.MaxTransferBytes() / 1024),
		"queue/physical_block_size": block,
		"queue/rotational":          "0",
		"queue/scheduler":           "[none] mq-deadline",
		"queue/write_cache":         "write through",
	}
}

func (c *controller) pciFiles() map[string]string {
	p := &c.personality.pci
	files := linkFiles(p, p)
	for name, id := range map[string]uint16{
		"vendor": p.vendor, "device": p.device,
		"subsystem_vendor": p.subsystemVendor, "subsystem_device": p.subsystemDevice,
	} {
		files[name] = fmt.Sprintf("0x%04x", id)
	}
	files["class"] = "0x010802"
	files["numa_node"] = "0"
	return files
}

// portFiles is a root port of the processor that can do more than the drive.
func (c *controller) portFiles() map[string]string {
	files := linkFiles(&c.personality.pci, &pciIdentity{speed: "16.0 GT/s PCIe", width: 4})
	files["class"] = "0x060400"
	files["vendor"] = "0x8086"
	files["device"] = "0x464d"
	files["numa_node"] = "0"
	return files
}

// linkFiles describes one end of the link, and errors that it has not had.
func linkFiles(now, most *pciIdentity) map[string]string {
	return map[string]string{
		"current_link_speed":  now.speed,
		"current_link_width":  fmt.Sprint(now.width),
		"max_link_speed":      most.speed,
		"max_link_width":      fmt.Sprint(most.width),
		"aer_dev_correctable": noErrors("COR", "RxErr BadTLP BadDLLP Rollover Timeout NonFatalErr CorrIntErr HeaderOF"),
		"aer_dev_nonfatal":    noErrors("NONFATAL", uncorrectable),
		"aer_dev_fatal":       noErrors("FATAL", uncorrectable),
	}
}

const uncorrectable = "Undefined DLP SDES TLP FCP CmpltTO CmpltAbrt UnxCmplt RxOF MalfTLP ECRC UnsupReq ACSViol " +
	"UncorrIntErr BlockedTLP AtomicOpBlocked TLPBlockedErr PoisonTLPBlocked"

// noErrors returns a file of error counters that are all 0.
func noErrors(total, names string) string {
	return strings.ReplaceAll(names, " ", " 0\n") + " 0\nTOTAL_ERR_" + total + " 0"
}
