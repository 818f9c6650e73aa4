package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// EnvFile is the environment variable that names the configuration file.
const EnvFile = "CANDOR_CONFIG"

// ErrNone says that nothing names a vault: no flag and no file in the usual places.
var ErrNone = errors.New("no " + FileName + " found; hint: --config FILE names one, --vault DIR needs none, --demo shows a vault of its own")

// Places are candor's own folders, absolute. One that is "" cannot be had, as without
// a home; what it would hold is kept in memory.
type Places struct {
	Config string // the key and the hashes of tokens
	Cache  string // sealed vectors
	State  string // journal and verdicts
}

// UserPlaces gives the folders of the user that runs this process. It makes none.
func UserPlaces() Places {
	var p Places
	if dir, err := os.UserConfigDir(); err == nil {
		p.Config = filepath.Join(dir, "candor")
	}
	if dir, err := os.UserCacheDir(); err == nil {
		p.Cache = filepath.Join(dir, "candor")
	}
	p.State = stateFolder(p.Config)
	return p
}

// stateFolder follows the XDG rules where they are the custom; other systems keep
// state beside the configuration.
func stateFolder(config string) string {
	switch runtime.GOOS {
	case "windows", "darwin", "ios":
		if config == "" {
			return ""
		}
		return filepath.Join(config, "state")
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "candor")
	}
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "candor")
	}
	return ""
}

// Find gives the configuration file to use: the one that flag names if it is not "",
// else by $CANDOR_CONFIG, ./candor.yaml, the user's configuration folder. Without any
// it gives [ErrNone].
func Find(flag string) (string, error) {
	if flag != "" {
		return named(flag, "--config")
	}
	if file := os.Getenv(EnvFile); file != "" {
		return named(file, "$"+EnvFile)
	}
	usual := []string{FileName}
	if dir := UserPlaces().Config; dir != "" {
		usual = append(usual, filepath.Join(dir, FileName))
	}
	for _, file := range usual {
		if _, err := os.Lstat(file); err == nil {
			return file, nil
		}
	}
	return "", ErrNone
}

// named expands a file that the user named and insists that it is there.
func named(file, by string) (string, error) {
	path, what, hint := expand(file)
	if what == "" {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
		what, hint = "does not exist", "name a "+FileName+"; candor init DIR writes one"
	}
	return "", fmt.Errorf("%s: %s: %s; hint: %s", by, file, what, hint)
}
