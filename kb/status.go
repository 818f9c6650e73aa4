package kb

import (
	"context"

	"candor"
)

// Status tells what there is for the profile. It never waits: before the vault is read
// its state is "loading" and its counts are 0.
func (b *Base) Status(context.Context) (StatusAnswer, error) {
	t := b.opt.Tuning()
	a := StatusAnswer{
		State: "loading", Profile: b.opt.Profile, Mode: t.Mode, ModeReason: t.Reason, Model: t.Model,
		Limits: b.opt.Limits, ExecutionCapabilities: []string{}, Warning: Warning,
	}
	if b.at.Load() == nil {
		return a, nil
	}
	b.Sync()
	a.State = "ready"
	v := b.at.Load()
	a.Notes, a.Chunks = v.snap.Size()
	a.Vectors = share(v.semantic)
	return a, nil
}

// Vectors is the share of the profile's chunks that have a vector, 0 to 1.
func (b *Base) Vectors() float64 {
	if v := b.at.Load(); v != nil {
		return share(v.semantic)
	}
	return 0
}

// share asks a semantic index how many of its chunks have a vector.
func share(index candor.Index) float64 {
	if filling, ok := index.(interface{ Ready() (have, total int) }); ok {
		if have, total := filling.Ready(); total > 0 {
			return float64(have) / float64(total)
		}
	}
	return 0
}
