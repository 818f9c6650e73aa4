package demo

import (
	"embed"
	"io/fs"
)

//go:embed topics baseline.json claims.yaml
var judged embed.FS

// Topics gives questions with what is expected of their answers, in the format of
// candor/evals. Files that begin with "train" may be tuned on, those that begin with
// "test" are held out; README.md says how they were split.
func Topics() fs.FS {
	return must(fs.Sub(judged, "topics"))
}

// Baseline gives the committed scorecard of the topics, in the format of
// candor/evals/baseline.
func Baseline() []byte {
	return must(judged.ReadFile("baseline.json"))
}

// Claims gives claims about the vault, each labelled with what a reader says of it and of
// its source, in the format of candor/evals/claims.
func Claims() []byte {
	return must(judged.ReadFile("claims.yaml"))
}
