package conditions

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/sysfs"
)

// NVMe is the drive that a namespace is on, as the host sees it.
type NVMe struct {
	// Controller is the kernel's name of the controller that the rest is about,
	// the first one of a drive with several; Controllers are all of them.
	Controller  string   `json:"controller"`
	Controllers []string `json:"controllers"`
	NSID        uint32   `json:"nsid"`
	Model       *string  `json:"model"`
	Serial      *string  `json:"serial"`
	Firmware    *string  `json:"firmware"`
	Transport   *string  `json:"transport"`
	Address     *string  `json:"address"`
	// Queues is the number of queues that the driver made, the admin queue
	// included.
	Queues *int `json:"queue_count"`
	// PollQueues is how many queues the driver was told to keep for polling,
	// Multipath whether it combines the ways to one drive.
	PollQueues *int  `json:"poll_queues"`
	Multipath  *bool `json:"multipath"`
	// MaxLatencyUS is the parameter of the driver for power states that the
	// drive may enter by itself, in µs, 0 none; LatencyTolerance is what holds
	// for this drive: µs, "any" or "auto".
	MaxLatencyUS     *int    `json:"default_ps_max_latency_us"`
	LatencyTolerance *string `json:"latency_tolerance_us"`
	// Link is nil for a drive that is not on PCI Express.
	Link *sysfs.Link `json:"link"`
	ASPM
	// IOMMU is how the drive's memory accesses are translated: "identity" not at
	// all, "DMA" or "DMA-FQ".
	IOMMU *string `json:"iommu"`
	// Interrupts are those of the drive's queues, nil if the host shows none.
	Interrupts []Interrupt `json:"interrupts"`

	numaNode *int
}

// ASPM is Active State Power Management of the link: sleep between transfers.
//
// Source: Linux kernel, Documentation/ABI/testing/sysfs-bus-pci, link/l1_aspm.
type ASPM struct {
	// Policy is that of the host: "default", "performance", "powersave" or
	// "powersupersave".
	Policy *string `json:"aspm_policy"`
	// States are the sleep states that are on for this drive's link, such as
	// "l1_aspm"; nil if the kernel does not say.
	States []string `json:"aspm_states"`
}

// Interrupt is the interrupt of one queue.
type Interrupt struct {
	// Queue is the driver's name of it, such as "nvme0q1".
	Queue string `json:"queue"`
	IRQ   int    `json:"irq"`
	// CPUs is the list of those that get it.
	CPUs *string `json:"cpus"`
}

// maxInterrupts bounds the interrupts that are looked at; a drive may have 2048.
const maxInterrupts = 512

// nvme returns the drive that disk is a namespace of, nil if it is none.
func (t tree) nvme(disk string) *NVMe {
	if kindOf(disk) != "nvme" {
		return nil
	}
	sys, err := fs.Sub(t.FS, "sys")
	if err != nil {
		return nil
	}
	names, _ := sysfs.Names(sys)
	var n *NVMe
	for _, name := range names {
		c, err := sysfs.Read(sys, name)
		if err != nil {
			continue
		}
		i := slices.IndexFunc(c.Namespaces, func(s sysfs.Namespace) bool { return s.Block == disk })
		switch {
		case i < 0:
		case n == nil:
			n = t.drive(c, c.Namespaces[i].NSID)
		default:
			n.Controllers = append(n.Controllers, name)
		}
	}
	return n
}

func (t tree) drive(c *sysfs.Controller, nsid uint32) *NVMe {
	dir := path.Join("sys/class/nvme", c.Name)
	const core = "sys/module/nvme_core/parameters"
	return &NVMe{
		Controller:       c.Name,
		Controllers:      []string{c.Name},
		NSID:             nsid,
		Model:            notEmpty(c.Model),
		Serial:           notEmpty(c.Serial),
		Firmware:         notEmpty(c.Firmware),
		Transport:        notEmpty(c.Transport),
		Address:          notEmpty(c.Address),
		Queues:           t.number(dir, "queue_count"),
		PollQueues:       t.number("sys/module/nvme/parameters/poll_queues"),
		Multipath:        t.flag(core, "multipath"),
		MaxLatencyUS:     t.number(core, "default_ps_max_latency_us"),
		LatencyTolerance: t.text(dir, "power/pm_qos_latency_tolerance_us"),
		Link:             c.Link,
		ASPM:             t.aspm(path.Join(dir, "device/link")),
		IOMMU:            t.text(dir, "device/iommu_group/type"),
		Interrupts:       t.interrupts(path.Join(dir, "device/msi_irqs")),
		numaNode:         c.NUMANode,
	}
}

// aspm reads the policy, and the states from the attributes in link. One that
// an end of the link does not have, has no attribute.
func (t tree) aspm(link string) ASPM {
	a := ASPM{Policy: t.chosen("sys/module/pcie_aspm/parameters/policy")}
	for _, name := range t.names(link) {
		on := t.flag(link, name)
		if on == nil {
			continue
		}
		if a.States == nil {
			a.States = []string{}
		}
		if *on {
			a.States = append(a.States, name)
		}
	}
	return a
}

// interrupts reads which CPUs get the interrupts in dir, whose entries are
// named by their numbers.
func (t tree) interrupts(dir string) []Interrupt {
	var numbers []int
	for _, name := range t.names(dir) {
		if n, err := strconv.Atoi(name); err == nil {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	var list []Interrupt
	for _, irq := range numbers[:min(len(numbers), maxInterrupts)] {
		number := strconv.Itoa(irq)
		queue := orEmpty(t.text("sys/kernel/irq", number, "actions"))
		if queue == "" {
			continue // Reserved, but not in use.
		}
		cpus := t.text("proc/irq", number, "effective_affinity_list")
		if cpus == nil {
			cpus = t.text("proc/irq", number, "smp_affinity_list")
		}
		list = append(list, Interrupt{queue, irq, cpus})
	}
	slices.SortStableFunc(list, func(a, b Interrupt) int { return cmp.Compare(queueNumber(a.Queue), queueNumber(b.Queue)) })
	return list
}

// queueNumber returns the number at the end of "nvme0q12", -1 if there is none.
func queueNumber(queue string) int {
	n, err := strconv.Atoi(queue[strings.LastIndexByte(queue, 'q')+1:])
	if err != nil {
		return -1
	}
	return n
}
