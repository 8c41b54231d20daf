// Package prometheus writes what was read from drives in the text format of
// Prometheus, for the textfile collector of node_exporter.
//
// The names that begin with nvme_ are those of nvme_metrics.py in
// node-exporter-textfile-collector-scripts of prometheus-community, where they
// exist, so that dashboards and alerts go on working. What has no name there
// begins with qd1_.
//
// A drive is known by its controller. The script keys by namespace, so that a
// drive with four namespaces is counted four times: SMART belongs to the
// controller. Samples carry no time: node_exporter refuses those that do.
package prometheus
