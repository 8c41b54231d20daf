package sysfs

import (
	"io/fs"
	"path"
	"sync"
)

// Record returns fsys with two listeners: text hears of each file that is
// read, with its contents, link of each symbolic link that is read, each once.
// [Map] makes an equal tree of what they heard, for a reader that does the
// same again. The listeners are not called at the same time.
func Record(fsys fs.FS, text func(path, text string), link func(path, target string)) fs.FS {
	return &recorder{fsys: fsys, text: text, link: link, told: map[string]bool{}}
}

type recorder struct {
	fsys       fs.FS
	text, link func(path, value string)
	mu         sync.Mutex
	told       map[string]bool
}

// tell calls a listener for the first success with a path.
func (r *recorder) tell(listener func(path, value string), name, value string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.told[name] {
		r.told[name] = true
		listener(name, value)
	}
}

// ReadFile implements fs.ReadFileFS.
func (r *recorder) ReadFile(name string) ([]byte, error) {
	b, err := fs.ReadFile(r.fsys, name)
	if err == nil {
		r.tell(r.text, name, string(b))
	}
	return b, err
}

// Open implements fs.FS. A file is read whole, so that it can be told.
func (r *recorder) Open(name string) (fs.File, error) {
	info, err := fs.Stat(r.fsys, name)
	if err != nil || info.IsDir() {
		return r.fsys.Open(name)
	}
	b, err := r.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return fileNode(path.Base(name), string(b)), nil
}

// ReadDir implements fs.ReadDirFS. Directories are implied by what is read in
// them.
func (r *recorder) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(r.fsys, name) }

// ReadLink implements fs.ReadLinkFS.
func (r *recorder) ReadLink(name string) (string, error) {
	target, err := fs.ReadLink(r.fsys, name)
	if err == nil {
		r.tell(r.link, name, target)
	}
	return target, err
}

// Lstat implements fs.ReadLinkFS.
func (r *recorder) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(r.fsys, name) }
