package main

import (
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/report"
)

// version is set when a release is built.
var version = "0.1.0-dev"

func tool() report.Tool {
	t := report.Tool{Name: "qd1", Version: version}
	if info, ok := debug.ReadBuildInfo(); ok && version == "0.1.0-dev" && info.Main.Version != "" && info.Main.Version != "(devel)" {
		t.Version = info.Main.Version
	}
	return t
}

// hostFacts reads what a report says about this computer.
func hostFacts() report.HostFacts {
	h := report.HostFacts{Arch: runtime.GOARCH}
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		h.Kernel = unix.ByteSliceToString(u.Release[:])
	}
	return h
}
