package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// vaults reads every folder in a folder.
func vaults(ctx context.Context, dir string) error {
	candor, done, err := program(ctx)
	if err != nil {
		return err
	}
	defer done()
	items, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	fmt.Printf("%-28s %6s %7s %8s %8s %7s %7s %6s\n", "vault", "notes", "chunks", "compared", "skipped", "damaged", "masked", "s")
	for _, item := range items {
		if !item.IsDir() {
			continue
		}
		if err := oneVault(ctx, filepath.Join(dir, item.Name()), candor); err != nil {
			return err
		}
	}
	return nil
}

// oneVault reads a folder, compares chunks with its files and runs the health check.
func oneVault(ctx context.Context, dir, candor string) error {
	start := time.Now()
	o, err := open(ctx, dir)
	if err != nil {
		fail("%s: %v", dir, err)
		return nil
	}
	defer o.root.Close()
	took := time.Since(start)
	all := o.chunks()
	rng := rand.New(rand.NewPCG(*seed, uint64(len(all))))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	some := cmp.Or(*count, 2000)
	some = min(some, len(all))
	for _, ch := range all[:some] {
		if err := cited(dir, ch.Path, ch.Lines, ch.Text); err != nil {
			fail("%s: %v", filepath.Base(dir), err)
		}
	}
	notes, chunks := o.snapshot().Size()
	r := o.corpus.Report()
	fmt.Printf("%-28s %6d %7d %8d %8d %7d %7d %6.1f\n", filepath.Base(dir), notes, chunks, some,
		len(r.Skipped), len(r.Damaged), len(r.Masked), took.Seconds())
	health := exec.CommandContext(ctx, candor, "check", "--vault", dir)
	if out, err := health.CombinedOutput(); err != nil {
		fail("%s: check: %v: %s", dir, err, out)
	}
	return nil
}
