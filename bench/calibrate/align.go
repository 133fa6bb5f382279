package main

import "unsafe"

// aligned is a buffer for direct I/O.
func aligned(size int) []byte {
	const boundary = 4096
	raw := make([]byte, size+boundary)
	skip := boundary - int(uintptr(unsafe.Pointer(unsafe.SliceData(raw)))%boundary)
	return raw[skip : skip+size]
}
