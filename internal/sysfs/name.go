package sysfs

import "strings"

// isNode reports whether a name is made of words with a number behind each, as
// nvme0n1 is of "nvme" and "n".
func isNode(name string, words ...string) bool {
	for _, word := range words {
		rest, ok := strings.CutPrefix(name, word)
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		if !ok || digits == 0 {
			return false
		}
		name = rest[digits:]
	}
	return name == ""
}

// The names as in /dev: of a controller, of the block device and of the character
// device of a namespace, and of a partition.
func isController(name string) bool { return isNode(name, "nvme") }
func isBlock(name string) bool      { return isNode(name, "nvme", "n") }
func isGeneric(name string) bool    { return isNode(name, "ng", "n") }
func isPartition(name string) bool  { return isNode(name, "nvme", "n", "p") }

// isPath reports whether a name is that of the way of a controller to a namespace,
// such as nvme0c1n2.
func isPath(name string) bool { return isNode(name, "nvme", "c", "n") }

// headOf returns the name of a path without the part of the controller: nvme0n2 of
// nvme0c1n2.
func headOf(path string) string {
	return path[:strings.IndexByte(path, 'c')] + path[strings.LastIndexByte(path, 'n'):]
}

// isFunction reports whether s is a PCI address, domain:bus:device.function, in
// lower case. Domains of host bridges behind a volume management device have five
// digits or more.
func isFunction(s string) bool {
	domain, rest, ok := strings.Cut(s, ":")
	return ok && isHex(domain, 4, 8) && isShortFunction(rest)
}

// isShortFunction is isFunction without the domain.
func isShortFunction(s string) bool {
	bus, rest, ok := strings.Cut(s, ":")
	device, function, dot := strings.Cut(rest, ".")
	return ok && dot && isHex(bus, 2, 2) && isHex(device, 2, 2) && isHex(function, 1, 1) && function <= "7"
}

// isHex reports whether s has least to most digits, hexadecimal and in lower case.
func isHex(s string, least, most int) bool {
	return len(s) >= least && len(s) <= most && strings.Trim(s, "0123456789abcdef") == ""
}
