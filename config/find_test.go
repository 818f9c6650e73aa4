package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	dir := workshop(t)
	if _, err := Find(""); !errors.Is(err, ErrNone) {
		t.Fatalf("with nothing there: %v", err)
	}
	for _, flag := range []string{"--config", "--vault", "--demo"} {
		if !strings.Contains(ErrNone.Error(), flag) {
			t.Errorf("the error does not name %s", flag)
		}
	}
	want := func(flag, file string) {
		t.Helper()
		if got, err := Find(flag); err != nil || got != file {
			t.Errorf("found %q, %v, want %q", got, err, file)
		}
	}
	user := filepath.Join(UserPlaces().Config, FileName)
	if err := os.MkdirAll(filepath.Dir(user), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, user, "")
	want("", user)
	write(t, FileName, "")
	want("", FileName)
	write(t, "env.yaml", "")
	t.Setenv(EnvFile, filepath.Join(dir, "env.yaml"))
	want("", filepath.Join(dir, "env.yaml"))
	write(t, "home/flag.yaml", "")
	want("~/flag.yaml", filepath.Join(dir, "home", "flag.yaml"))

	t.Run("a file that is named and missing is an error", func(t *testing.T) {
		if _, err := Find("gone.yaml"); err == nil || !strings.Contains(err.Error(), "--config: gone.yaml") {
			t.Error(err)
		}
		t.Setenv(EnvFile, "gone.yaml")
		if _, err := Find(""); err == nil || !strings.Contains(err.Error(), "$CANDOR_CONFIG: gone.yaml") {
			t.Error(err)
		}
	})
}

func TestPlacesWithoutHome(t *testing.T) {
	workshop(t)
	t.Setenv("HOME", "")
	if p := UserPlaces(); p != (Places{}) {
		t.Errorf("%+v", p)
	}
}
