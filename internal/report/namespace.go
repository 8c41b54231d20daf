package report

import (
	"context"
	"math/bits"

	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

// Namespace is one active namespace: its Identify data in bytes, and where the
// host shows it.
type Namespace struct {
	Partial
	NSID             nvme.NSID   `json:"nsid"`
	Block            *string     `json:"block_device"`
	Generic          *string     `json:"generic_device"`
	Partitions       []string    `json:"partitions"`
	SizeBytes        uint64      `json:"size_bytes"`
	CapacityBytes    uint64      `json:"capacity_bytes"`
	UtilizationBytes uint64      `json:"utilization_bytes"`
	LBAFormatIndex   int         `json:"lba_format_index"`
	LBAFormat        LBAFormat   `json:"lba_format"`
	LBAFormats       []LBAFormat `json:"lba_formats"`
	EUI64            nvme.Hex64  `json:"eui64"`
	NGUID            nvme.Hex128 `json:"nguid"`
	UUID             nvme.Hex128 `json:"uuid"`
	// Fields are the fields of Identify Namespace by their specification names.
	Fields *nvme.IdentifyNamespace `json:"identify"`
	// Problem is set where this namespace could not be read.
	Problem *Problem `json:"error,omitempty"`
}

// LBAFormat is an LBA format in bytes. 0 data bytes means that the format is
// not available.
type LBAFormat struct {
	DataBytes           uint64 `json:"data_bytes"`
	MetadataBytes       uint16 `json:"metadata_bytes"`
	RelativePerformance uint8  `json:"relative_performance"`
}

func newLBAFormat(f nvme.LBAFormat) LBAFormat {
	return LBAFormat{f.DataBytes(), f.MetadataBytes, f.RP & 3}
}

// NewNamespace returns the entry of a namespace.
func NewNamespace(nsid nvme.NSID, n *nvme.IdentifyNamespace) Namespace {
	f := n.Format()
	ns := Namespace{
		NSID:             nsid,
		SizeBytes:        mulSat(n.NSZE, f.DataBytes()),
		CapacityBytes:    mulSat(n.NCAP, f.DataBytes()),
		UtilizationBytes: mulSat(n.NUSE, f.DataBytes()),
		LBAFormatIndex:   n.FormatIndex(),
		LBAFormat:        newLBAFormat(f),
		EUI64:            n.EUI64,
		NGUID:            n.NGUID,
		Fields:           n,
	}
	for _, f := range n.Formats() {
		ns.LBAFormats = append(ns.LBAFormats, newLBAFormat(f))
	}
	return ns
}

// mulSat multiplies and stays at the greatest value instead of overflowing.
func mulSat(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 {
		return ^uint64(0)
	}
	return lo
}

// namespaces reads every active namespace. One that cannot be read is an entry
// with a problem.
func namespaces(ctx context.Context, c *nvme.Controller, id *nvme.IdentifyController, host *sysfs.Controller) (*[]Namespace, error) {
	nsids, err := c.ActiveNamespaces(ctx, id)
	if err != nil {
		return nil, err
	}
	list := make([]Namespace, 0, len(nsids))
	for _, nsid := range nsids {
		ns := readNamespace(ctx, c, id, nsid)
		ns.fromHost(host)
		list = append(list, ns)
	}
	return &list, nil
}

func readNamespace(ctx context.Context, c *nvme.Controller, id *nvme.IdentifyController, nsid nvme.NSID) Namespace {
	n, err := c.IdentifyNamespace(ctx, nsid)
	if err != nil {
		return Namespace{NSID: nsid, Problem: problemOf(err)}
	}
	if n.NSZE == ^uint64(0) && n.NCAP == ^uint64(0) {
		return Namespace{NSID: nsid, Problem: &Problem{Kind: KindNoData, Text: "the drive answered with a page of all ones: no data"}}
	}
	ns := NewNamespace(nsid, n)
	if !id.Version.AtLeast(1, 3) {
		return ns
	}
	if d, err := c.NamespaceDescriptors(ctx, nsid); err == nil {
		ns.UUID = d.UUID
	}
	return ns
}

func (ns *Namespace) fromHost(host *sysfs.Controller) {
	if host == nil {
		return
	}
	for _, h := range host.Namespaces {
		if nvme.NSID(h.NSID) != ns.NSID {
			continue
		}
		ns.Block, ns.Generic = nonEmpty(h.Block), nonEmpty(h.Generic)
		ns.Partitions = h.Partitions
	}
}

func nonEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
