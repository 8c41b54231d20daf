// Package scratch makes files and directories that a benchmark may measure,
// and says whether what it measures is the medium.
//
// [Make] makes a test file in a directory and fills it; [OpenExisting] takes a
// file that is there, for reading only. [CheckReadable] says how much of a file
// the medium would be asked for, [SampleBlank] does that for a device, and
// [CheckDirect] whether the page cache can be left out. [Precondition] plans
// what is written before a measurement and [Steady] says when that is enough.
// [Copy] is the workload of copying files.
//
// # What is left behind
//
// Nothing. A file is removed when it is closed, when its making fails and when
// the context ends. It has a name of its own and a lock while it is in use, so
// [FindLeftovers] can tell what a killed run left from what is being measured.
// A file that was not made here is never opened for writing.
//
// # What is written
//
// All data are unique: no 8 bytes of a file repeat, so neither compression nor
// deduplication makes a drive look faster. Programs that fill their file with
// one block of 1 MiB over and over give such drives an advantage. There is no
// option to do the same: the figures of a profile that is named after such a
// program are lower here on drives that compress or deduplicate, and the same on
// others.
package scratch
