// Package profile names the workloads that people know from other programs,
// and some of our own, as data: rows of [bench.Job], how often each is run and
// which of the runs is the figure. It runs nothing: [Profile.Plan] gives the
// sequence of runs, and [Row.Figure] the figure of what they measured.
//
// # Where the definitions come from
//
// What is marked "as far as known" is general knowledge that was not found in
// a source of the program.
//
//   - cdm3 is CrystalDiskMark 3.0 (2010 to 2013). Row names, block sizes and
//     queue depths as on its screen; 1000 MB and 5 runs as in published
//     results. As far as known: a MB of 2^20 bytes, runs that end with the
//     size and not with time, 5 s between rows, no pass that is discarded, the
//     best run counts. Ours is the limit of 60 s a run, for hard disks.
//   - cdm5 is CrystalDiskMark 5.1.2 (2016), cdm6 is 6.0.0 (2017), both by
//     their source: 5 runs of 5 s, one discarded pass of 5 s before each row,
//     5 s between rows, the best run counts. They show no latency; ours is
//     chosen as in version 8.
//   - cdm8 is CrystalDiskMark 8.0 (2020 to 2024), by its source: the same
//     procedure, all rows reading, then writing, then mixed (R70/W30). The
//     highest MB/s and the lowest mean latency are chosen independently.
//     Version 9 (2025) has the same rows and 3 runs. The real-world rows do not
//     depend on the NVMe setting, and the demo has no mix.
//   - iometer is Iometer 1.1.0 (2014): access specifications by the names of
//     its catalogue, a matrix of outstanding I/Os and workers, one run each.
//     The matrix and the times are ours; the program has no defaults for them.
//   - sweep is like ATTO Disk Benchmark 4 (2018): 512 B to 64 MB, sequential,
//     4 in flight, 256 MB. As far as known: the sizes in between, the default
//     of 4 and that each size is written before it is read. Ours are 2 s a row.
//   - txbench is TxBENCH 0.95 beta (2017): 128 KiB sequential, 4 in flight,
//     200 s with a row a second, as reviews used it. Its four basic rows are as
//     far as known; their times are ours.
//   - qd1, sustain, apps and wake are our own.
//
// CrystalDiskMark writes the same block over and over and measures a file that
// repeats every MiB; here no two written blocks are alike, so a drive that
// compresses or deduplicates gains nothing. Its test is always a file, never a
// raw device.
//
// # A device against a file on it
//
// The same plan made for two targets has the same rows; [CostOf] says for each
// what the second costs over the first. That is what iometer is used for.
package profile
