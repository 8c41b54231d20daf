// Package vendor reads the log pages that drives have beside those of the
// specification: which page belongs to which vendor and model, their layouts,
// and the wear and error counters in them.
//
// A page number means something else on the drive of another vendor, and a
// page that a drive does not have costs an entry in its error log. So a page is
// tried only on drives whose vendor and model are in the table of [Logs], and
// what came is believed only where it looks like the layout: by its GUID where
// there is one, else by its content.
//
// No vendor document was at hand. The layouts are those that the vendors'
// plugins of nvme-cli (revision e117ee68), the header spdk/nvme_intel.h of SPDK
// and the module intel of FreeBSD's nvmecontrol describe; each type names its
// source and where the sources disagree. The OCP pages are of the Datacenter
// NVMe SSD Specification, versions 2.0 and 2.5, as nvme-cli reads them.
package vendor
