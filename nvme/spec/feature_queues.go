package spec

import "qd1.example/qd1/nvme"

// queueFeatures are the features of queues, interrupts and events.
func queueFeatures() []Feature {
	return []Feature{arbitration(), numberOfQueues(), interruptCoalescing(), interruptVector(), asynchronousEvents(), keepAliveTimer()}
}

func arbitration() Feature {
	const title = "Arbitration"
	fields := []Field{
		{Name: "AB", Title: "Arbitration Burst", At: 0, Len: 1, Kind: Flags, Bits: []Bits{
			{High: 2, Low: 0, Name: "AB", Title: "Arbitration Burst", Unit: "commands", Kind: PowerOfTwo, Values: map[uint64]string{7: "no limit"}},
		}},
		{Name: "LPW", Title: "Low Priority Weight", At: 1, Len: 1, Kind: ZeroBased, Unit: "commands"},
		{Name: "MPW", Title: "Medium Priority Weight", At: 2, Len: 1, Kind: ZeroBased, Unit: "commands"},
		{Name: "HPW", Title: "High Priority Weight", At: 3, Len: 1, Kind: ZeroBased, Unit: "commands"},
	}
	return Feature{
		FID: uint8(nvme.FIDArbitration), Name: "arbitration", Title: title,
		Result: dwordOf("result", baseSpec, title, fields), Set: dwordOf("set", baseSpec, title, fields),
	}
}

// dwordOf is a dword of whole bytes.
func dwordOf(name, source, title string, fields []Field) *Structure {
	return &Structure{Name: name, Title: title, Source: source + title, Bytes: 4, Fields: fields}
}

func numberOfQueues() Feature {
	const title = "Number of Queues"
	return Feature{
		FID: uint8(nvme.FIDNumberOfQueues), Name: "num-queues", Title: title,
		Result: dwordOf("result", baseSpec, title, []Field{
			{Name: "NSQA", Title: "Number of I/O Submission Queues Allocated", At: 0, Len: 2, Kind: ZeroBased, Unit: "queues"},
			{Name: "NCQA", Title: "Number of I/O Completion Queues Allocated", At: 2, Len: 2, Kind: ZeroBased, Unit: "queues"},
		}),
		Set: dwordOf("set", baseSpec, title, []Field{
			{Name: "NSQR", Title: "Number of I/O Submission Queues Requested", At: 0, Len: 2, Kind: ZeroBased, Unit: "queues"},
			{Name: "NCQR", Title: "Number of I/O Completion Queues Requested", At: 2, Len: 2, Kind: ZeroBased, Unit: "queues"},
		}),
	}
}

func interruptCoalescing() Feature {
	const title = "Interrupt Coalescing"
	fields := []Field{
		{Name: "THR", Title: "Aggregation Threshold", At: 0, Len: 1, Kind: ZeroBased, Unit: "completions"},
		{Name: "TIME", Title: "Aggregation Time", At: 1, Len: 1, Scale: 100, Unit: "us", Zero: "no delay"},
	}
	return Feature{
		FID: uint8(nvme.FIDInterruptCoalescing), Name: "irq-coalesce", Title: title,
		Result: dwordOf("result", baseSpec, title, fields), Set: dwordOf("set", baseSpec, title, fields),
	}
}

func interruptVector() Feature {
	const title = "Interrupt Vector Configuration"
	bits := []Bits{
		{High: 15, Low: 0, Name: "IV", Title: "Interrupt Vector"},
		{Low: 16, Name: "CD", Title: "Coalescing Disable", Values: map[uint64]string{0: "coalescing as configured", 1: "no coalescing"}},
	}
	return Feature{
		FID: uint8(nvme.FIDInterruptVector), Name: "irq-config", Title: title,
		Result: dword0(baseSpec, title, bits...), Set: dwords(baseSpec, title, bits),
	}
}

func asynchronousEvents() Feature {
	const title = "Asynchronous Event Configuration"
	warn := func(bit uint8, name, text string) Bits {
		return Bits{Low: bit, Name: name, Title: text}
	}
	bits := []Bits{
		warn(0, "SHCW0", "SMART / Health Critical Warning: available spare"),
		warn(1, "SHCW1", "SMART / Health Critical Warning: temperature"),
		warn(2, "SHCW2", "SMART / Health Critical Warning: reliability"),
		warn(3, "SHCW3", "SMART / Health Critical Warning: read only"),
		warn(4, "SHCW4", "SMART / Health Critical Warning: volatile memory backup"),
		warn(5, "SHCW5", "SMART / Health Critical Warning: persistent memory region"),
		warn(6, "SHCW6", "SMART / Health Critical Warning: bit 6"),
		warn(7, "SHCW7", "SMART / Health Critical Warning: bit 7"),
		warn(8, "NAN", "Attached Namespace Attribute Notices"),
		warn(9, "FAN", "Firmware Activation Notices"),
		warn(10, "TLN", "Telemetry Log Notices"),
		warn(11, "ANACN", "Asymmetric Namespace Access Change Notices"),
		warn(12, "PLEALCN", "Predictable Latency Event Aggregate Log Change Notices"),
		warn(13, "LSIAN", "LBA Status Information Alert Notices"),
		warn(14, "EGEALCN", "Endurance Group Event Aggregate Log Change Notices"),
		warn(15, "NNSSHDN", "Normal NVM Subsystem Shutdown"),
		warn(16, "TTHRY", "Temperature Threshold Hysteresis Recovery"),
		warn(17, "RASSN", "Reachability Association"),
		warn(18, "RGRP0", "Reachability Group"),
		warn(19, "ANSAN", "Allocated Namespace Attribute Notices"),
		warn(27, "ZDCN", "Zone Descriptor Changed Notices"),
		warn(28, "PMDRLPCN", "Pull Model DDC Request Log Page Change Notification"),
		warn(29, "ADLPCN", "AVE Discovery Log Page Change Notification"),
		warn(30, "HDLPCN", "Host Discovery Log Page Change Notification"),
		warn(31, "DLPCN", "Discovery Log Page Change Notification"),
	}
	return Feature{
		FID: uint8(nvme.FIDAsynchronousEvents), Name: "async-event", Title: title,
		Result: dword0(baseSpec, title, bits...), Set: dwords(baseSpec, title, bits),
	}
}

func keepAliveTimer() Feature {
	const title = "Keep Alive Timer"
	fields := []Field{{Name: "KATO", Title: "Keep Alive Timeout", At: 0, Len: 4, Unit: "ms", Zero: "disabled"}}
	return Feature{
		FID: uint8(nvme.FIDKeepAliveTimer), Name: "kato", Title: title,
		When:   where("KAS is 0", func(id *nvme.IdentifyController) bool { return id.KAS != 0 }),
		Result: dwordOf("result", baseSpec, title, fields), Set: dwordOf("set", baseSpec, title, fields),
	}
}
