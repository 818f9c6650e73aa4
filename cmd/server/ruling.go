package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"candor/evals"
	"candor/evals/hybrid"
	"candor/internal/keys"
)

// ruling is the verdict as last read, with the topics that there were then.
type ruling struct {
	hybrid.Switch
	topics []string // digests; nil where there are none to compare with
	marks  string   // of the files they were read from
}

// readRuling reads the verdict and, under a yes, the topics that it is to be of. Topics
// whose files have not changed are taken from the ruling before.
func (s *site) readRuling(before ruling) ruling {
	now := ruling{Switch: hybrid.Open(s.verdictDir(), s.keys.Subkey(keys.Verdict))}
	file := s.configuredTopics()
	if !now.Yes() || now.Verdict().Elsewhere || file == "" {
		return now
	}
	if now.marks = marks(file); now.marks == before.marks {
		now.topics = before.topics
		return now
	}
	// Topics that cannot be read now do not undo what was measured on them.
	if all, err := evals.LoadTopics(file); err == nil {
		topics, _ := evals.Reviewed(all)
		now.topics = hybrid.TopicDigests(topics)
	}
	return now
}

// configuredTopics is the topics file that the configuration names, or topics.yaml beside
// it; "" without a configuration.
func (s *site) configuredTopics() string {
	switch {
	case s.cfg.Evals.Topics != "":
		return s.cfg.Evals.Topics
	case s.cfg.File != "":
		return filepath.Join(filepath.Dir(s.cfg.File), topicsName)
	}
	return ""
}

// marks tells whether a file, or any in a folder, was changed.
func marks(name string) (out string) {
	_ = filepath.WalkDir(name, func(p string, _ fs.DirEntry, err error) error {
		if info, statErr := os.Stat(p); err == nil && statErr == nil {
			out += fmt.Sprintln(p, info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	return out
}
