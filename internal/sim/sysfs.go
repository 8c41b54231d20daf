package sim

import (
	"fmt"
	"strings"

	"qd1.example/qd1/nvme"
)

// The places of the simulated drive in the host's device tree.
const (
	rootPort     = "devices/pci0000:00/0000:00:06.0"
	pciAddress   = "0000:01:00.0"
	pciDevice    = rootPort + "/" + pciAddress
	controllerAt = pciDevice + "/nvme/nvme0"
	subsystemAt  = "devices/virtual/nvme-subsystem/nvme-subsys0"
)

// Sysfs returns what a Linux host would show of the drive in /sys: path
// relative to /sys to the text of a file, and to the target of a link. A dead
// drive has no namespaces.
func (d *Drive) Sysfs() (texts, links map[string]string) {
	c := d.controller
	c.mu.Lock()
	defer c.mu.Unlock()
	texts, links = map[string]string{}, sysfsLinks()
	put := func(at string, files map[string]string) {
		for name, text := range files {
			texts[at+"/"+name] = text + "\n"
		}
	}
	put(controllerAt, c.controllerFiles())
	put(subsystemAt, c.subsystemFiles())
	put(pciDevice, c.pciFiles())
	put(rootPort, c.portFiles())
	if c.personality.dead {
		return texts, links
	}
	s := c.spaces.Load()
	for _, nsid := range s.ids(0, true) {
		put(blockAt(nsid), c.blockFiles(s.at(nsid)))
		put(genericAt(nsid), genericFiles(nsid))
		namespaceLinks(links, nsid)
	}
	return texts, links
}

// blockAt and genericAt are the devices of a namespace.
func blockAt(nsid nvme.NSID) string   { return fmt.Sprintf("%s/nvme0n%d", controllerAt, nsid) }
func genericAt(nsid nvme.NSID) string { return fmt.Sprintf("%s/ng0n%d", controllerAt, nsid) }

func sysfsLinks() map[string]string {
	return map[string]string{
		"class/nvme/nvme0":                           "../../" + controllerAt,
		"class/nvme-subsystem/nvme-subsys0":          "../../" + subsystemAt,
		"dev/char/241:0":                             "../../" + controllerAt,
		"bus/pci/devices/" + pciAddress:              "../../../" + pciDevice,
		"bus/pci/devices/0000:00:06.0":               "../../../" + rootPort,
		subsystemAt + "/nvme0":                       "../../../pci0000:00/0000:00:06.0/" + pciAddress + "/nvme/nvme0",
		subsystemAt + "/subsystem":                   "../../../../class/nvme-subsystem",
		controllerAt + "/device":                     "../../../" + pciAddress,
		controllerAt + "/subsystem":                  up(controllerAt) + "class/nvme",
		pciDevice + "/subsystem":                     up(pciDevice) + "bus/pci",
		pciDevice + "/driver":                        up(pciDevice) + "bus/pci/drivers/nvme",
		rootPort + "/subsystem":                      up(rootPort) + "bus/pci",
		rootPort + "/driver":                         up(rootPort) + "bus/pci/drivers/pcieport",
		"bus/pci/drivers/nvme/" + pciAddress:         "../../../../" + pciDevice,
		"bus/pci/drivers/pcieport/" + "0000:00:06.0": "../../../../" + rootPort,
	}
}

// namespaceLinks adds the links of a namespace.
func namespaceLinks(links map[string]string, nsid nvme.NSID) {
	block, generic := blockAt(nsid), genericAt(nsid)
	for name, target := range map[string]string{
		fmt.Sprintf("class/nvme-generic/ng0n%d", nsid): "../../" + generic,
		fmt.Sprintf("class/block/nvme0n%d", nsid):      "../../" + block,
		fmt.Sprintf("block/nvme0n%d", nsid):            "../" + block,
		fmt.Sprintf("dev/block/259:%d", nsid-1):        "../../" + block,
		fmt.Sprintf("dev/char/240:%d", nsid-1):         "../../" + generic,
		block + "/device":                              "../../nvme0",
		block + "/subsystem":                           up(block) + "class/block",
		generic + "/device":                            "../../nvme0",
		generic + "/subsystem":                         up(generic) + "class/nvme-generic",
	} {
		links[name] = target
	}
}

func genericFiles(nsid nvme.NSID) map[string]string {
	return map[string]string{
		"dev":    fmt.Sprintf("240:%d", nsid-1),
		"uevent": fmt.Sprintf("MAJOR=240\nMINOR=%d\nDEVNAME=ng0n%d", nsid-1, nsid),
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
		"state":        c.state(),
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

// state returns the state of the controller as the kernel names it.
func (c *controller) state() string {
	if c.personality.dead {
		return "dead"
	}
	return "live"
}

// wwid returns the world wide identifier of a namespace: NGUID, EUI-64, or what
// the kernel makes for one without them.
func (c *controller) wwid(n *namespace) string {
	switch {
	case !n.id.NGUID.IsZero():
		return "eui." + n.id.NGUID.String()
	case !n.id.EUI64.IsZero():
		return "eui." + n.id.EUI64.String()
	}
	return fmt.Sprintf("nvme.%04x-%x-%x-%08x",
		c.id.VID, c.id.SerialNumber.String(), c.id.ModelNumber.String(), n.nsid)
}

func (c *controller) blockFiles(n *namespace) map[string]string {
	block := fmt.Sprint(n.blockBytes())
	const sector = 512
	readOnly := map[bool]string{false: "0", true: "1"}[n.protected == nvme.StatusNamespaceWriteProtected]
	cache := map[bool]string{false: "write through", true: "write back"}[c.id.VWC&1 != 0]
	return map[string]string{
		"dev":                       fmt.Sprintf("259:%d", n.nsid-1),
		"hidden":                    "0",
		"nsid":                      fmt.Sprint(n.nsid),
		"removable":                 "0",
		"ro":                        readOnly,
		"size":                      fmt.Sprint(n.bytes() / sector),
		"uevent":                    fmt.Sprintf("MAJOR=259\nMINOR=%d\nDEVNAME=nvme0n%d\nDEVTYPE=disk\nDISKSEQ=%[2]d", n.nsid-1, n.nsid),
		"wwid":                      c.wwid(n),
		"queue/hw_sector_size":      block,
		"queue/logical_block_size":  block,
		"queue/max_hw_sectors_kb":   fmt.Sprint(c.id.MaxTransferBytes() / 1024),
		"queue/physical_block_size": block,
		"queue/rotational":          "0",
		"queue/scheduler":           "[none] mq-deadline",
		"queue/write_cache":         cache,
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
