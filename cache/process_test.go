package cache

import (
	"bufio"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"
)

// The test binary is also the process that the tests below start and kill.
const (
	childDir  = "CANDOR_TEST_CACHE_DIR"
	childTask = "CANDOR_TEST_CACHE_TASK"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		child(dir, os.Getenv(childTask))
	}
	os.Exit(m.Run())
}

type exits struct{}

func (exits) Fatalf(string, ...any) { os.Exit(3) }

// child holds the lock, or reads and writes until it is killed. It exits only when
// something is wrong.
func child(dir, task string) {
	c, err := Open(Options{Dir: dir, Key: testSecret(1)})
	if err != nil {
		os.Exit(4)
	}
	if task == "hold" {
		testWriter(exits{}, c)
		os.Stdout.WriteString("held\n")
		time.Sleep(time.Hour)
	}
	r := rand.New(rand.NewPCG(uint64(os.Getpid()), 1))
	pool := entriesOf(c.Key(), "a", 400)
	os.Stdout.WriteString("ready\n")
	for {
		turn(c, r, pool)
	}
}

// turn is one round of a server: see what there is, fill a little, now and then prune.
func turn(c *Cache, r *rand.Rand, pool []Entry) {
	if c.Refresh() != nil {
		os.Exit(5)
	}
	found(exits{}, c, idsOf(pool))
	w, err := c.Writer()
	if errors.Is(err, ErrBusy) {
		return
	}
	if err != nil {
		os.Exit(6)
	}
	for range 5 {
		at := r.IntN(len(pool) - 8)
		if w.Put(pool[at:at+8]) != nil {
			os.Exit(7)
		}
	}
	if r.IntN(4) == 0 {
		at := pool[r.IntN(len(pool))].ID.Chunk[0]
		if _, err := w.Prune(func(id ID) bool { return id.Chunk[0] != at }); err != nil {
			os.Exit(8)
		}
	}
	if w.Close() != nil {
		os.Exit(9)
	}
}

// start starts a child and waits until it works.
func start(t *testing.T, dir, task string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir, childTask+"="+task)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the child ended: %v", cmd.Wait())
	}
	return cmd
}

// stop kills a child and fails if it had ended by itself.
func stop(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	_ = cmd.Process.Kill()
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() > 0 {
		t.Fatalf("a child found a fault: %v", err)
	}
}

// TestLockDies holds that a killed process blocks nobody.
func TestLockDies(t *testing.T) {
	dir := t.TempDir()
	holder := start(t, dir, "hold")
	c := testOpen(t, dir, 1)
	if _, err := c.Writer(); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v while another process writes", err)
	}
	stop(t, holder)
	e := entry(c.Key(), "a", 1)
	testPut(t, c, e)
	check(t, testOpen(t, dir, 1))
}

// TestProcesses lets two processes fill, merge and prune one folder beside a third that
// reads it, and kills them at random.
func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	children := []*exec.Cmd{start(t, dir, "work"), start(t, dir, "work")}
	c := testOpen(t, dir, 1)
	pool := idsOf(entriesOf(c.Key(), "a", 400))
	r := rand.New(rand.NewPCG(118, 1))
	for n := range 12 {
		for until := time.Now().Add(time.Duration(20+r.IntN(150)) * time.Millisecond); time.Now().Before(until); {
			if err := c.Refresh(); err != nil {
				t.Fatal(err)
			}
			found(t, c, pool)
		}
		stop(t, children[n%2])
		children[n%2] = start(t, dir, "work")
	}
	for _, cmd := range children {
		stop(t, cmd)
	}
	w := testWriter(t, c)
	if _, err := w.Prune(func(ID) bool { return true }); err != nil {
		t.Fatal(err)
	}
	if found(t, c, pool) == 0 {
		t.Error("nothing was stored")
	}
	check(t, testOpen(t, dir, 1))
}
