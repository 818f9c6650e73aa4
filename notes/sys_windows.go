package notes

import (
	"io/fs"
	"os"
	"syscall"
	"unsafe"
)

// openFlags are none: a path inside a root names no pipe here.
const openFlags = 0

// linkCount counts the names of an open file.
func linkCount(f *os.File, _ fs.FileInfo) (uint64, error) {
	var info syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &info); err != nil {
		return 0, err
	}
	return uint64(info.NumberOfLinks), nil
}

// syncFolder has nothing to do: the system makes names durable by itself.
func syncFolder(*os.Root) error { return nil }

var getDiskFreeSpace = syscall.NewLazyDLL("kernel32.dll").NewProc("GetDiskFreeSpaceExW")

// freeBytes is what this user may still write on the disk of a folder.
func freeBytes(f *os.File) (uint64, error) {
	path, err := syscall.UTF16PtrFromString(f.Name())
	if err != nil {
		return 0, err
	}
	var free uint64
	if ok, _, err := getDiskFreeSpace.Call(uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(&free)), 0, 0); ok == 0 {
		return 0, err
	}
	return free, nil
}
