// Package dump reads what other tools print about NVMe drives and answers
// commands from it, as an [nvme.Passthru].
//
// It knows, by content and never by file name:
//
//   - smartctl of NVMe drives, as text in any locale and as JSON;
//   - nvme-cli: smart-log, id-ctrl, id-ns, error-log, fw-log and list, as text
//     (also with -H) and smart-log, id-ctrl, id-ns, error-log, fw-log and list
//     as JSON;
//   - the text export of CrystalDiskInfo, with several drives in one file, as
//     UTF-8, UTF-16 or Shift_JIS. Its labels are English in every language of
//     the program; the names of attributes are not used;
//   - a bare SMART log of 512 bytes or Identify Controller of 4096 bytes, which
//     is a guess, and said to be one.
//
// Several of them in one file are put together if they are of one drive. Of two
// readings of one drive that which stands last is used, and nothing of the
// moment of the other. [Drive.Notes] says what gives reason to doubt: readings
// that do not fit each other, pages of which nothing says that they belong
// together, and contradictions. Two pages of one kind without identity are not
// put together: the error is [ErrSeveralDrives].
//
// A last line without an end may be cut, and is left out with a note, unless
// the output of the tool ends there.
//
// # What is not in a dump
//
// A dump has part of what the drive reported. The pages that [Drive.Submit]
// answers with are made up from the fields that are there; the others are zero
// in them, as in a page of a drive that reports nothing. A zero is therefore a
// value only where [Drive.Has] says so. A page of which nothing is there is not
// answered: the error is [ErrNotInDump].
//
// Fields are named "page.field", the page as in a report and the field by its
// JSON key in package nvme: "smart.power_on_hours", "identify_controller.oacs",
// "namespaces.nuse". A name without a dot is the page as a whole.
//
// A field that the tool leaves out where it is zero counts as present if the
// part of the output where it would stand is there.
//
// Values that the tool rounded before it printed them ("1.42 TB") are in the
// pages too, and [Drive.Rounded] tells them apart.
package dump
