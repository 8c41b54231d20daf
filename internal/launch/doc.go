// Package launch measures how long people wait for a drive: the start of a
// program whose files are not in memory, and the phases of the last boot.
//
// # Start of a program
//
// [Launch] runs a program again and again, each time from just before the fork
// to the moment its end is seen (or the moment it has said a given text), on the
// monotonic clock. A cold run comes after the caches were emptied, a warm one
// right after that: what lies between them is what the drive costs.
//
// The program runs as the user that runs this process and with its environment:
// under sudo that is root, whose settings and files may be others. To start it
// as another user, the command line has to say so, as in "sudo -u NAME", and
// that is measured with it. Standard input is empty, standard output goes to
// /dev/null unless a text is waited for, and standard error is kept for the case
// that the program fails. It has a process group of its own, which is ended
// after each run with whatever is left in it; processes that leave the group,
// such as services, are not.
//
// Running time includes what this process needs to start another one: about a
// millisecond, as measuring "true" shows.
//
// # Boot
//
// [ReadBoot] reads what systemd and the kernel noted about the last boot. It
// measures nothing, and what happens before the firmware starts to count, such
// as the drive's own start, is not in any of the figures.
package launch
