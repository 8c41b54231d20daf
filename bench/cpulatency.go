package bench

import (
	"fmt"
	"io"
	"os"
)

const cpuLatencyNode = "/dev/cpu_dma_latency"

// HoldCPULatency asks the kernel for a wake-up latency of 0 µs until the
// result is closed, so that no CPU enters an idle state that is slow to leave.
// At queue depth 1 the wake-up is in every latency. It needs write permission
// on /dev/cpu_dma_latency, which only root has as a rule.
func HoldCPULatency() (io.Closer, error) { return holdCPULatency(cpuLatencyNode) }

func holdCPULatency(node string) (io.Closer, error) {
	f, err := os.OpenFile(node, os.O_WRONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("hold the CPU wake-up latency: %w", err)
	}
	if _, err := f.Write(make([]byte, 4)); err != nil {
		f.Close()
		return nil, fmt.Errorf("hold the CPU wake-up latency: %w", err)
	}
	return f, nil
}
