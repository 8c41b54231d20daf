package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mattn/go-isatty"
	"golang.org/x/sys/unix"
)

const hintFolder = "choose a folder that exists and that you may write to"

// checkOutput finds out before the work whether its result can be written
// under a name, and refuses names that must not be written: a drive, and what
// the result is made from.
func checkOutput(name string, sources []string) error {
	if name == "" || name == "-" {
		return nil
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return failf("name a file", "cannot write %s: it is a directory", name)
	case err == nil && info.Mode()&os.ModeDevice != 0 && !harmless(info, name):
		return refusef("name a file: a result is never written to a device", "%s is a device", name)
	case err == nil && !info.Mode().IsRegular():
		return nil
	case err == nil && isSource(info, sources):
		return refusef("choose another name for the result", "%s is what the result would be made from", name)
	}
	if err := unix.Access(filepath.Dir(realName(name)), unix.W_OK); err != nil {
		return failf(hintFolder, "cannot write %s: %w", name, err)
	}
	return nil
}

// harmless reports whether a device takes text without harm: a terminal, or
// one of the kernel's own such as /dev/null.
func harmless(info os.FileInfo, name string) bool {
	const memoryDevices = 1
	if info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	var st unix.Stat_t
	if unix.Stat(name, &st) == nil && unix.Major(st.Rdev) == memoryDevices {
		return true
	}
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return isatty.IsTerminal(f.Fd())
}

// isSource reports whether a file is one of the arguments, also as replay:FILE.
func isSource(info os.FileInfo, sources []string) bool {
	for _, s := range sources {
		if other, err := os.Stat(strings.TrimPrefix(s, "replay:")); err == nil && os.SameFile(info, other) {
			return true
		}
	}
	return false
}

// realName follows symbolic links, so that what they point at is replaced.
func realName(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return name
}

// writeFile replaces a regular file as a whole, or writes to a pipe or what
// checkOutput found harmless.
func writeFile(name string, b []byte) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return writeThrough(name, b)
	}
	if err := replaceFile(realName(name), b); err != nil {
		return failf("is the disk full? nothing was written under that name", "cannot write %s: %w", name, err)
	}
	return nil
}

// writeThrough writes to what is there. A named pipe that nobody reads would
// hold the program for ever, and is an error.
func writeThrough(name string, b []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ENXIO) {
		return failf("start the program that reads the pipe first", "cannot write %s: nobody reads this pipe", name)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// replaceFile writes beside the file and renames.
func replaceFile(name string, b []byte) error {
	beside := filepath.Join(filepath.Dir(name), fmt.Sprintf(".qd1-%d-%s", os.Getpid(), filepath.Base(name)))
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer os.Remove(beside)
	if old, e := os.Stat(name); e == nil {
		err = f.Chmod(old.Mode().Perm())
	}
	if err == nil {
		_, err = f.Write(b)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(beside, name)
}

// openRegular opens a file for reading. A pipe would hold the program, also
// against Ctrl-C, until somebody writes to it.
func openRegular(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	return f, nil
}
