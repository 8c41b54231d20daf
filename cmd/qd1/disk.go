package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/lazyregexp"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sata"
)

// diskName matches the kernel's names of SCSI disks and their partitions.
var diskName = lazyregexp.New(`^sd[a-z]+[0-9]*$`)

// diskPath is the path of a disk of the SCSI layer that a selector means, ""
// if it means none. The device number decides, never the spelling.
func diskPath(selector string) string {
	if diskName.MatchString(selector) {
		selector = filepath.Join("/dev", selector)
	}
	var st unix.Stat_t
	if unix.Stat(selector, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFBLK {
		return ""
	}
	if _, err := sata.Locate(os.DirFS("/sys"), fmt.Sprintf("%d:%d", unix.Major(st.Rdev), unix.Minor(st.Rdev))); err != nil {
		return ""
	}
	return selector
}

// openDisk opens a disk of the SCSI layer for a report.
func openDisk(selector, path string) (*report.Drive, error) {
	dev, err := sata.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil, failf(path+" belongs to root and ATA commands need CAP_SYS_RAWIO: run it again with sudo", "%w", err)
	}
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context, timeout time.Duration) *sata.Report { return sata.Collect(ctx, dev, timeout) }
	d := &report.Drive{Selector: selector, SATA: read, Close: dev.Close}
	if d.Target, err = deviceTarget(dev.Path()); err != nil {
		d.Target, d.WhyNoTarget = nil, err.Error()
	}
	return d, nil
}
