package main

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/vmtest/wire"
)

// resultsDisk finds the block device with the serial number of the results.
// The letter of a virtio disk depends on the order of probing, so its name is
// never assumed.
func resultsDisk(limit time.Duration) (string, error) {
	var found string
	poll(limit, func() bool {
		serials, _ := filepath.Glob("/sys/block/*/serial")
		for _, path := range serials {
			text, _ := os.ReadFile(path)
			node := "/dev/" + filepath.Base(filepath.Dir(path))
			if strings.TrimSpace(string(text)) == wire.ResultsSerial && exists(node) {
				found = node
			}
		}
		return found != ""
	})
	if found == "" {
		return "", fmt.Errorf("no disk with serial number %s", wire.ResultsSerial)
	}
	return found, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// save writes the results and all files of the output folder to the disk as a
// tar archive.
func save(disk string, results []wire.Result) error {
	text, err := json.Marshal(results)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(wire.OutDir, wire.ResultsFile), text, 0o644); err != nil {
		return err
	}
	saveKernelLog()
	f, err := os.OpenFile(disk, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = archive(f, wire.OutDir)
	return errors.Join(err, f.Sync(), f.Close())
}

// archive writes the regular files under dir.
func archive(w io.Writer, dir string) error {
	tw := tar.NewWriter(w)
	if err := tw.AddFS(os.DirFS(dir)); err != nil {
		return fmt.Errorf("archive of %s: %w", dir, err)
	}
	return tw.Close()
}

// saveKernelLog puts the kernel's messages beside the results.
func saveKernelLog() {
	buf := make([]byte, 1<<20)
	n, err := unix.Klogctl(unix.SYSLOG_ACTION_READ_ALL, buf)
	if err != nil {
		fmt.Printf("guest: kernel log: %v\n", err)
		return
	}
	_ = os.WriteFile(filepath.Join(wire.OutDir, "dmesg"), buf[:n], 0o644)
}
