// This file allows rawio.go to declare a function without a body.
