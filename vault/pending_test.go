package vault

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"candor"
)

// told records the calls of deliver with the time of each.
type told struct {
	paths [][]candor.Path
	after []time.Duration
}

// run delivers what feed adds, for a minute of the bubble's time.
func run(t *testing.T, changed func([]candor.Path), feed func(*pending)) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p := newPending()
	go feed(p)
	p.deliver(ctx, changed)
}

func record(t *testing.T, feed func(*pending)) told {
	var got told
	start := time.Now()
	run(t, func(paths []candor.Path) {
		got.paths = append(got.paths, paths)
		got.after = append(got.after, time.Since(start))
	}, feed)
	return got
}

func TestChangesThatComeTogetherAreToldTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := record(t, func(p *pending) {
			for _, path := range []candor.Path{"b", "a", "b", "c"} {
				p.add(path)
				time.Sleep(quiet / 2)
			}
			time.Sleep(10 * quiet)
			p.add("d")
		})
		if diff := cmp.Diff([][]candor.Path{{"a", "b", "c"}, {"d"}}, got.paths); diff != "" {
			t.Error(diff)
		}
		if got.after[0] != 3*(quiet/2)+quiet {
			t.Errorf("told after %v", got.after[0])
		}
	})
}

func TestChangesWithoutPauseAreToldAllTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := record(t, func(p *pending) {
			for i := range 100 {
				p.add(candor.Path(fmt.Sprint(i)))
				time.Sleep(quiet / 3)
			}
		})
		if len(got.paths) < 4 || got.after[0] != longest {
			t.Errorf("told %d times, first after %v", len(got.paths), got.after)
		}
	})
}

func TestAnythingComprisesPaths(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := record(t, func(p *pending) {
			p.add("a")
			p.addAll()
			p.add("b")
			time.Sleep(time.Second)
			p.add("c")
		})
		if diff := cmp.Diff([][]candor.Path{nil, {"c"}}, got.paths); diff != "" {
			t.Error(diff)
		}
	})
}

func TestTooManyChangesAreAnything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := record(t, func(p *pending) {
			for i := range maxPending {
				p.add(candor.Path(fmt.Sprint(i)))
			}
			time.Sleep(time.Second)
			for i := range maxPending + 1 {
				p.add(candor.Path(fmt.Sprint(i)))
			}
		})
		if len(got.paths) != 2 || len(got.paths[0]) != maxPending || got.paths[1] != nil {
			t.Errorf("told %d times", len(got.paths))
		}
	})
}

func TestChangesDuringACallAreToldAfterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got [][]candor.Path
		var p *pending
		run(t, func(paths []candor.Path) {
			got = append(got, paths)
			if len(got) == 1 {
				p.add("during")
				time.Sleep(5 * time.Second)
				p.add("later")
			}
		}, func(q *pending) {
			p = q
			p.add("first")
		})
		if diff := cmp.Diff([][]candor.Path{{"first"}, {"during", "later"}}, got); diff != "" {
			t.Error(diff)
		}
	})
}
