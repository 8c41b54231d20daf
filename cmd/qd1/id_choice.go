package main

import (
	"github.com/urfave/cli/v2"

	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/spec"
)

// relativeFlags are flags of nvme-cli that choose a relative of a page.
func relativeFlags(p spec.IdentifyPage) []cli.Flag {
	flag := func(name, usage string, aliases ...string) cli.Flag {
		return &cli.BoolFlag{Name: name, DisableDefaultText: true, Aliases: aliases, Usage: usage}
	}
	switch p.Name {
	case "ns-list":
		return []cli.Flag{flag("all", "all namespaces that exist, attached or not (allocated-ns-list)", "a"),
			&cli.StringFlag{Name: "csi", Aliases: []string{"y"}, Usage: "only those of the Command Set `IDENTIFIER` (ns-list-csi)"}}
	case "ctrl-list":
		return []cli.Flag{&cli.StringFlag{Name: "namespace-id", Aliases: []string{"n"}, Usage: "only those that the `NSID` is attached to (attached-ctrl-list)"}}
	case "ns":
		return []cli.Flag{flag("allocated", "a namespace that need not be attached (allocated-ns; id-ns --force of nvme-cli)")}
	}
	return nil
}

// identifyChoice is the page that the flags choose.
func (in *invocation) identifyChoice(p spec.IdentifyPage) (spec.IdentifyPage, error) {
	name := p.Name
	switch {
	case name == "ns-list" && in.Bool("all") && in.String("csi") != "":
		name = "allocated-ns-list-csi"
	case name == "ns-list" && in.Bool("all"):
		name = "allocated-ns-list"
	case name == "ns-list" && in.String("csi") != "":
		name = "ns-list-csi"
	case name == "ctrl-list" && in.String("namespace-id") != "":
		name = "attached-ctrl-list"
	case name == "ns" && in.Bool("allocated"):
		name = "allocated-ns"
	}
	for _, other := range spec.IdentifyPages() {
		if other.Name == name {
			return other, nil
		}
	}
	return p, nil
}

// thisController is the controller that processes the command, where a page takes
// another one.
const thisController = 0xFFFF

// identifyParameters reads the flags of a page. A namespace of 0 is yet to be
// found.
func (in *invocation) identifyParameters(p spec.IdentifyPage) (nvme.Identify, error) {
	i := nvme.Identify{CNS: p.CNS, CSI: p.CSI}
	nsid, err := in.nsid()
	if err != nil {
		return i, err
	}
	i.NSID = nsid
	if p.Needs.Has(spec.NeedAfter) && nsid > 0 {
		i.NSID = nsid - 1
	}
	none := uint64(0)
	if p.CNS == nvme.CNSCommandSets {
		none = thisController
	}
	for _, f := range []struct {
		need spec.Need
		flag string
		bits int
		none uint64
		set  func(uint64)
	}{
		{spec.NeedCNTID, "cntid", 16, none, func(v uint64) { i.CNTID = uint16(v) }},
		{spec.NeedCSI, "csi", 8, uint64(p.CSI), func(v uint64) { i.CSI = uint8(v) }},
		{spec.NeedSpecific, specificFlag(p.CNS).flag, 16, 0, func(v uint64) { i.SpecificID = uint16(v) }},
		{spec.NeedUUID, "uuid-index", 7, 0, func(v uint64) { i.UUIDIndex = uint8(v) }},
	} {
		if !p.Needs.Has(f.need) {
			continue
		}
		v, err := in.number(f.flag, f.bits, f.none)
		if err != nil {
			return i, err
		}
		f.set(v)
	}
	return i, nil
}
