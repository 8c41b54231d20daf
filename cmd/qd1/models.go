package main

import (
	"errors"
	"io/fs"

	"qd1.example/qd1/smart/drivedb"
)

// openModels returns the drive database with a file of the user before it, nil
// for the built-in one alone.
func openModels(file string) (*drivedb.DB, error) {
	if file == "" {
		return nil, nil
	}
	f, err := openRegular(file)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, failf("run it as a user that may read the file", "cannot read the drive database: %w", err)
	case err != nil:
		return nil, failf("--drivedb takes a JSON file; docs/drivedb.md shows one", "cannot read the drive database: %w", err)
	}
	defer f.Close()
	db, err := drivedb.Load(f)
	if err != nil {
		return nil, failf("correct the file: nothing was read from the drive", "%s: %w", file, err)
	}
	return drivedb.Builtin().Merge(db), nil
}
