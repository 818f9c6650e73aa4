package main

import (
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"unsafe"

	"candor/kb"
)

// watchOpens counts what is opened or read in folders from now on, until count is asked.
func watchOpens(t *testing.T, folders ...string) (count func() int) {
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		t.Skip("no inotify here")
	}
	t.Cleanup(func() { syscall.Close(fd) })
	for _, folder := range folders {
		if _, err := syscall.InotifyAddWatch(fd, folder, syscall.IN_OPEN|syscall.IN_ACCESS); err != nil {
			t.Fatal(err)
		}
	}
	return func() int {
		n := 0
		buf := make([]byte, 1<<16)
		for {
			size, err := syscall.Read(fd, buf)
			if err != nil || size <= 0 {
				return n
			}
			for at := 0; at < size; n++ {
				at += syscall.SizeofInotifyEvent + int((*syscall.InotifyEvent)(unsafe.Pointer(&buf[at])).Len)
			}
		}
	}
}

// What is not in the catalogue, and a question that nothing answers, opens no file and
// no folder: a miss never scans, and what is denied costs what is missing costs.
func TestMissesTouchNoFile(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	files := map[string]string{"restricted/pay.md": "# Pay\n\nthe hyena\n", "public/nobody.md": "---\ncandor: {profiles: []}\n---\n# N\n"}
	for i := range 200 {
		files["public/n"+strconv.Itoa(i)+".md"] = "# N\n\nwords\n"
	}
	s := openSite(t, files, "guest")
	root := s.cfg.Vaults[0].Root
	opened := watchOpens(t, root, filepath.Join(root, "public"), filepath.Join(root, "restricted"))
	misses := func() {
		for range 20 {
			if a, err := s.base().Search(t.Context(), kb.SearchRequest{Query: "the hyena"}); err != nil || !a.Abstained {
				t.Fatal(a, err)
			}
			for _, p := range []string{"restricted/pay.md", "public/nobody.md", "public/missing.md", "../x.md", "public/n1.MD", "public"} {
				_, errRead := s.base().Read(t.Context(), readPath(p))
				_, errLinks := s.base().Links(t.Context(), kb.LinksRequest{Path: p})
				_, errCite := s.base().Read(t.Context(), kb.ReadRequest{Citation: p + "#L1-L1@00000000"})
				if errRead == nil || errLinks == nil || errCite == nil {
					t.Fatalf("%s is read", p)
				}
			}
		}
	}
	if misses(); opened() != 0 {
		t.Error("misses open files or folders")
	}
	if _, err := s.base().Read(t.Context(), readPath("public/n1.md")); err != nil || opened() == 0 {
		t.Fatal("reading a note opens nothing: the test proves nothing", err)
	}
}
