package guard

import (
	"slices"
	"strings"
	"unicode/utf8"

	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

const (
	hintResolve = "look at the host's drives with the list, and name the drive again"
	hintRescan  = "let the kernel look again (echo 1 > /sys/class/nvme/%s/rescan_controller), or power the drive off and on"
)

// identify compares what drive and host say, and finds the radius.
func (in *inspection) identify() {
	in.c.Radius = in.radius()
	for i := range in.c.Radius {
		in.c.Identity.Bytes += in.c.Radius[i].Bytes
	}
	in.add(in.sameIdentity()...)
	in.add(in.live())
	in.add(in.missing()...)
	in.add(in.nodes()...)
}

// sameIdentity checks that the drive behind the descriptor is the one that the
// host shows under this name. Where it shows none, that is refused already.
func (in *inspection) sameIdentity() []Check {
	if in.host.gone != nil {
		return nil
	}
	id, c := &in.c.Identity, in.host.controller
	var bad []Check
	for _, p := range []struct{ what, drive, host string }{
		{"serial number", id.Serial, c.Serial}, {"model number", id.Model, c.Model},
	} {
		if p.drive != likeIdentify(p.host) {
			bad = append(bad, refuse(checkIdentity, hintResolve,
				"the %s of the drive is %q, and that of %s is %q: they are not the same drive", p.what, p.drive, c.Name, p.host))
		}
	}
	if given := in.drive.Controller; given != nil && (given.Serial != c.Serial || given.Model != c.Model) {
		bad = append(bad, refuse(checkIdentity, hintResolve, "%s was %s %s and is now %s %s", c.Name, given.Model, given.Serial, c.Model, c.Serial))
	}
	bad = append(bad, in.sameGeometry()...)
	if len(bad) > 0 {
		return bad
	}
	return []Check{pass(checkIdentity, "drive and kernel agree: %s, serial number %s, %s", id.Model, id.Serial, place(c))}
}

// likeIdentify writes a string of sysfs as [nvme.CleanASCII] does: what is not
// ASCII is a replacement character for each byte.
func likeIdentify(s string) string {
	var b strings.Builder
	for _, r := range strings.Trim(s, " \x00") {
		switch {
		case r == utf8.RuneError:
			b.WriteRune(r)
		case r < 0x20 || r > 0x7E:
			b.WriteString(strings.Repeat(string(utf8.RuneError), utf8.RuneLen(r)))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// sameGeometry checks that the kernel's block devices are the drive's
// namespaces, and as large.
func (in *inspection) sameGeometry() []Check {
	var bad []Check
	for i := range in.host.controller.Namespaces {
		n := &in.host.controller.Namespaces[i]
		if text := in.unlike(n); text != "" {
			bad = append(bad, refuse(checkIdentity, strings.ReplaceAll(hintRescan, "%s", in.host.controller.Name), "%s", text))
		}
	}
	for _, c := range in.host.siblings {
		for i := range c.Namespaces {
			n := &c.Namespaces[i]
			if s := in.view.at(nvme.NSID(n.NSID)); s != nil && in.same(s, n) && unlikeSize(n, s) != "" {
				bad = append(bad, refuse(checkIdentity, strings.ReplaceAll(hintRescan, "%s", c.Name), "%s", unlikeSize(n, s)))
			}
		}
	}
	for i := range in.view.spaces {
		if s := &in.view.spaces[i]; bytesOf(s.id) < 0 {
			bad = append(bad, refuse(checkIdentity, "", "namespace %d says that it has %v bytes", s.nsid, s.id.SizeBytes()))
		}
	}
	return bad
}

// unlike says in what a block device is not the namespace of the drive, "" if
// in nothing.
func (in *inspection) unlike(n *sysfs.Namespace) string {
	s := in.view.at(nvme.NSID(n.NSID))
	switch {
	case n.NSID == 0:
		return "the kernel does not say which namespace " + nodeName(n) + " is"
	case s == nil || !s.active:
		return "the kernel shows " + nodeName(n) + " as namespace " + number(nvme.NSID(n.NSID)) + ", which the drive does not have"
	}
	return unlikeSize(n, s)
}

// unlikeSize says in what a block device has another size than the namespace,
// "" if in nothing. The kernel gives a namespace whose format it cannot use no
// size.
func unlikeSize(n *sysfs.Namespace, s *space) string {
	own, block := bytesOf(s.id), int64(s.id.Format().DataBytes())
	switch {
	case n.Bytes == 0 && (n.Hidden || n.Block == "" || s.id.Format().MetadataBytes != 0):
		return ""
	case n.Bytes != own:
		return nodeName(n) + " has " + bytesText(n.Bytes) + " for the kernel, and namespace " + number(s.nsid) + " has " + bytesText(own) + " for the drive"
	case n.LBABytes != 0 && int64(n.LBABytes) != block:
		return nodeName(n) + " has blocks of " + bytesText(int64(n.LBABytes)) + " for the kernel, and of " + bytesText(block) + " for the drive"
	}
	return ""
}

func nodeName(n *sysfs.Namespace) string {
	if n.Block != "" {
		return n.Block
	}
	return "a namespace without a block device"
}

// live checks that the kernel talks to the controller.
func (in *inspection) live() Check {
	c := in.host.controller
	if in.host.gone != nil {
		return refuse(checkController, hintResolve, "this computer does not show the controller of the drive: %v", in.host.gone)
	}
	switch c.State {
	case "live":
		return pass(checkController, "%s is live", c.Name)
	case "":
		return pass(checkController, "the kernel does not tell the state of %s", c.Name)
	}
	return refuse(checkController, "wait until it is live again, or power the drive off and on", "%s is not live: it is %s", c.Name, c.State)
}

// nodes names the namespaces that nothing can be said of, because they have no
// block device, and those that another computer may use.
func (in *inspection) nodes() []Check {
	var without, with, shared []string
	for i := range in.c.Radius {
		m := &in.c.Radius[i]
		if m.Block == "" {
			without = append(without, m.name()+" ("+bytesText(m.Bytes)+")")
		} else {
			with = append(with, m.name())
		}
		if s := in.view.at(m.NSID); s != nil && s.shared() {
			shared = append(shared, m.name())
		}
	}
	checks := []Check{pass(checkNodes, "affected: %s", and(with))}
	switch {
	case len(without) > 0:
		checks = []Check{warn(checkNodes, "without a block device, so that nobody can say what lies there or who uses it: %s", and(without))}
	case len(with) == 0:
		checks = []Check{warn(checkNodes, "the drive has no namespace that is affected")}
	}
	if len(shared) > 0 && len(in.host.siblings) == 0 {
		checks = append(checks, warn(checkShared, "%s can be reached through another controller of the drive, which is not of this computer: who uses it there cannot be seen", and(shared)).
			hinted("make sure that no other computer is attached to the drive"))
	}
	return slices.Clip(checks)
}
