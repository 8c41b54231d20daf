#!/bin/sh
# Before the last version goes: "remove" from dpkg, 0 from rpm. An update is
# neither. Metrics that nobody renews would be taken for those of today.
set -e
case "${1:-}" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --now qd1-prometheus.timer qd1-prometheus.service || true
	fi
	rm -f /var/lib/prometheus/node-exporter/qd1.prom
	;;
esac
