package report

import (
	"context"
	"slices"
	"time"

	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

// ListSchema is the name and version of the JSON object of a List.
const ListSchema = "qd1.list/1"

// List is one row for each drive.
type List struct {
	Schema string `json:"schema"`
	Drives []Row  `json:"drives"`
	// Unchecked are sentences about what could not be looked at for InUse.
	Unchecked []string `json:"unchecked"`
	// Hidden are PCI functions that a drive may be behind without being here. null:
	// not looked for, because drives were named.
	Hidden []sysfs.Hidden `json:"hidden"`
}

// Row is what the list says about a drive. null means not reported or not
// readable; Problem then says why.
type Row struct {
	Controller string `json:"controller"`
	Simulated  bool   `json:"simulated"`
	State      string `json:"state"`
	// Subsystem is the kernel's name of the NVM subsystem: rows that share it are
	// controllers of one drive. "" if it is not known.
	Subsystem                   string         `json:"subsystem"`
	Serial                      string         `json:"serial"`
	Model                       string         `json:"model"`
	MarketingName               *string        `json:"marketing_name"`
	Firmware                    string         `json:"firmware"`
	PCIAddress                  *string        `json:"pci_address"`
	SizeBytes                   *uint64        `json:"size_bytes"`
	Namespaces                  []RowNamespace `json:"namespaces"`
	Link                        *Link          `json:"link"`
	CompositeTemperatureCelsius *int           `json:"composite_temperature_celsius"`
	PercentageUsedPercent       *int           `json:"percentage_used_percent"`
	// InUse is what uses the drive; null means that it was not looked for, as
	// for a capture, and empty that nobody was found.
	InUse   []inuse.Use `json:"in_use"`
	Problem *Problem    `json:"error"`
}

// RowNamespace is a namespace in a row.
type RowNamespace struct {
	NSID         nvme.NSID `json:"nsid"`
	BlockDevice  *string   `json:"block_device"`
	SizeBytes    uint64    `json:"size_bytes"`
	LBADataBytes uint64    `json:"lba_data_bytes"`
}

// ReadRow makes the row of a drive. What the drive does not answer in time is
// left to what the host knows.
func ReadRow(ctx context.Context, d *Drive, timeout time.Duration) Row {
	row := hostRow(d)
	c := nvme.NewController(&probe{dev: d.Passthru, timeout: timeout})
	id, err := ReadIdentify(ctx, c)
	if err != nil {
		row.Problem = problemOf(err)
		return row
	}
	row.fromController(id)
	if list, err := namespaces(ctx, c, id, d.Host); err == nil {
		row.setNamespaces(*list)
	} else {
		row.Problem = problemOf(err)
	}
	if l, err := ReadSMART(ctx, c); err == nil {
		used := int(l.PercentageUsed)
		row.CompositeTemperatureCelsius, row.PercentageUsedPercent = celsius(l.CompositeTemperature), &used
	} else if row.Problem == nil {
		row.Problem = problemOf(err)
	}
	return row
}

// FailedRow is the row of a drive that could not even be opened.
func FailedRow(d *Drive, err error) Row {
	row := hostRow(d)
	row.Problem = problemOf(err)
	return row
}

func hostRow(d *Drive) Row {
	id := hostIdentity(d)
	row := Row{
		Controller: id.Controller, Simulated: d.Simulated, State: id.State, Subsystem: id.Subsystem,
		Serial: id.Serial, Model: id.Model, Firmware: id.Firmware,
		Namespaces: []RowNamespace{}, Link: NewLink(d.Host).Data,
	}
	row.lookUp()
	if d.Host == nil {
		return row
	}
	if d.Host.PCI != nil {
		row.PCIAddress = nonEmpty(d.Host.PCI.Address)
	}
	for _, n := range d.Host.Namespaces {
		row.Namespaces = append(row.Namespaces, RowNamespace{
			nvme.NSID(n.NSID), nonEmpty(n.Block), uint64(n.Bytes), uint64(n.LBABytes)})
	}
	if len(row.Namespaces) > 0 { // Without, the host may just not know of any.
		row.total()
	}
	return row
}

func (r *Row) fromController(id *nvme.IdentifyController) {
	r.Serial, r.Model, r.Firmware = id.SerialNumber.String(), id.ModelNumber.String(), id.FirmwareRevision.String()
	r.lookUp()
}

func (r *Row) lookUp() {
	id := Identity{}
	id.fromDatabase(drivedb.Lookup(r.Model))
	r.MarketingName = id.MarketingName
}

func (r *Row) setNamespaces(list []Namespace) {
	r.Namespaces = make([]RowNamespace, 0, len(list))
	for _, n := range list {
		r.Namespaces = append(r.Namespaces, RowNamespace{n.NSID, n.Block, n.SizeBytes, n.LBAFormat.DataBytes})
		if n.Problem != nil && r.Problem == nil {
			r.Problem = n.Problem
		}
	}
	r.total()
}

func (r *Row) total() {
	var sum uint64
	for _, n := range r.Namespaces {
		sum += n.SizeBytes
	}
	r.SizeBytes = &sum
}

// Nodes returns the kernel's names of a controller and of its namespaces, as a
// survey of their use takes them.
func Nodes(h *sysfs.Controller) []string {
	nodes := []string{h.Name}
	for _, n := range h.Namespaces {
		for _, name := range []string{n.Block, n.Generic} {
			if name != "" {
				nodes = append(nodes, name)
			}
		}
	}
	return nodes
}

// SetInUse takes from a survey what uses the drive that the host shows.
func (r *Row) SetInUse(s *inuse.Survey, h *sysfs.Controller) {
	nodes := Nodes(h)
	for _, n := range h.Namespaces {
		nodes = append(nodes, n.Partitions...)
	}
	r.InUse = []inuse.Use{}
	for _, u := range s.Uses {
		if slices.Contains(nodes, u.Device) {
			r.InUse = append(r.InUse, u)
		}
	}
}
