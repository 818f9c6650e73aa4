package kb

import "context"

// Status tells what there is for the profile. It never waits: before the vault is read
// its state is "loading" and its counts are 0.
func (b *Base) Status(context.Context) (StatusAnswer, error) {
	mode, reason := b.opt.Mode()
	a := StatusAnswer{
		State: "loading", Profile: b.opt.Profile, Mode: mode, ModeReason: reason,
		Limits: b.opt.Limits, ExecutionCapabilities: []string{}, Warning: Warning,
	}
	if b.at.Load() == nil {
		return a, nil
	}
	b.Sync()
	a.State = "ready"
	a.Notes, a.Chunks = b.at.Load().snap.Size()
	return a, nil
}
