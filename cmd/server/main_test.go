package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"candor": main})
}

// TestScripts runs the sessions under testdata/script: what a user types and sees.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("XDG_CONFIG_HOME", "")
			env.Setenv("XDG_CACHE_HOME", "")
			env.Setenv("XDG_STATE_HOME", "")
			return os.Mkdir(home, 0o700)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"hardlink": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(os.Link(ts.MkAbs(args[0]), ts.MkAbs(args[1])))
			},
			"printbytes": func(ts *testscript.TestScript, _ bool, args []string) {
				text, err := strconv.Unquote(`"` + args[1] + `"`)
				ts.Check(err)
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
			},
			"bind": func(ts *testscript.TestScript, _ bool, args []string) { bind(ts, ts.MkAbs(args[0]), ts.MkAbs(args[1])) },
			"fifo": func(ts *testscript.TestScript, _ bool, args []string) { ts.Check(mkfifo(ts.MkAbs(args[0]))) },
		},
	})
}

// bind writes the claim that a reader of a search's answer would: bound to its first
// passage, with the whole stamp.
func bind(ts *testscript.TestScript, answer, claims string) {
	data, err := os.ReadFile(answer)
	ts.Check(err)
	var a struct {
		Hits  []struct{ Citation map[string]any }
		Stamp map[string]any
	}
	ts.Check(json.Unmarshal(data, &a))
	data, err = json.Marshal([]any{map[string]any{
		"claim_id": "leave", "claim_text": "Parental leave is 16 weeks.", "origin": a.Stamp, "span": a.Hits[0].Citation["id"],
	}})
	ts.Check(err)
	ts.Check(os.WriteFile(claims, data, 0o600))
}
