package vmtest_test

import (
	"fmt"
	"os"
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

func TestMain(m *testing.M) {
	status := m.Run()
	if err := vmtest.CleanUp(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(status)
}
