package candor_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// imports is the table of doc/design.md: what each package may import of ours. A
// package or an arrow that is not in it fails the test.
var imports = map[string]string{
	".":                   "",
	"cache":               "",
	"cmd/server":          "*",
	"config":              "",
	"corpus":              "candor policy vault frontmatter redact markdown",
	"demo":                "",
	"evals":               "candor",
	"evals/baseline":      "candor evals",
	"evals/draft":         "candor evals",
	"evals/claims":        "candor evals provenance",
	"evals/hybrid":        "candor evals fusion evidence internal/atomicfile",
	"evidence":            "candor",
	"frontmatter":         "",
	"fusion":              "candor",
	"internal/atomicfile": "",
	"internal/client":     "",
	"internal/fakeollama": "",
	"internal/keys":       "",
	"internal/scaffold":   "",
	"internal/vaulttest":  "candor policy vault",
	"internal/visible":    "",
	"kb":                  "candor policy corpus redact retrieval fusion evidence",
	"markdown":            "candor redact",
	"mcpserver":           "candor kb provenance notes internal/visible",
	"notes":               "candor internal/visible",
	"policy":              "candor",
	"provenance":          "candor internal/atomicfile",
	"provenance/wrap":     "candor redact provenance internal/visible",
	"redact":              "",
	"retrieval":           "candor fusion",
	"retrieval/lexical":   "candor",
	"retrieval/semantic":  "candor cache",
	"scripts/long":        "*",
	"scripts/sbom":        "",
	"telemetry":           "candor",
	"tokens":              "candor internal/atomicfile",
	"vault":               "candor policy",
}

// The bounds of style: a function fits on a screen, a file is read in one sitting.
const (
	maxFunction = 80  // lines
	maxFile     = 450 // lines, tests aside
	maxParams   = 4   // a context aside
)

// source is one parsed Go file of the module.
type source struct {
	dir, path string
	file      *ast.File
	fset      *token.FileSet
	test      bool
}

// sources parses every Go file of the module.
func sources(t *testing.T) []source {
	t.Helper()
	var out []source
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, errMod := os.Stat(filepath.Join(p, "go.mod"))
			if p != "." && (errMod == nil || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, p, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		out = append(out, source{
			dir: filepath.ToSlash(filepath.Dir(p)), path: filepath.ToSlash(p), file: f, fset: fset,
			test: strings.HasSuffix(p, "_test.go"),
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 10 {
		t.Fatalf("only %d Go files found: the walk is broken", len(out))
	}
	return out
}

func TestImportTable(t *testing.T) {
	for _, s := range sources(t) {
		key := s.dir
		if strings.HasPrefix(key, "scripts/long/") {
			key = "scripts/long"
		}
		allowed, known := imports[key]
		if !known {
			t.Errorf("%s: package %s is not in the table", s.path, s.dir)
			continue
		}
		if s.test || allowed == "*" {
			continue
		}
		for _, spec := range s.file.Imports {
			name := strings.Trim(spec.Path.Value, `"`)
			ours, isOurs := strings.CutPrefix(name, "candor/")
			if name == "candor" {
				ours, isOurs = "candor", true
			}
			if isOurs && !slices.Contains(strings.Fields(allowed), ours) {
				t.Errorf("%s imports %s, which the table does not allow", s.path, name)
			}
		}
	}
}

// TestNamesAreExplained holds that each package and each exported name has a comment.
func TestNamesAreExplained(t *testing.T) {
	explained := map[string]bool{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		explained[s.dir] = explained[s.dir] || s.file.Doc != nil
		for _, decl := range s.file.Decls {
			for _, name := range unexplained(decl) {
				t.Errorf("%s: %s has no comment", s.fset.Position(decl.Pos()), name)
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(explained)) {
		if !explained[dir] {
			t.Errorf("package %s has no comment", dir)
		}
	}
}

// unexplained lists the exported names of a declaration that no comment explains.
func unexplained(decl ast.Decl) []string {
	var out []string
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
			out = append(out, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
					out = append(out, s.Name.Name)
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
						out = append(out, n.Name)
					}
				}
			}
		}
	}
	return out
}

// exportedReceiver reports whether a function is reachable from outside: no method, or
// a method of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

func TestBounds(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		if n := s.fset.File(s.file.Pos()).LineCount(); n > maxFile {
			t.Errorf("%s has %d lines, more than %d", s.path, n, maxFile)
		}
		for _, decl := range s.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			at := s.fset.Position(f.Pos())
			if n := s.fset.Position(f.End()).Line - at.Line + 1; n > maxFunction {
				t.Errorf("%s: %s has %d lines, more than %d", at, f.Name.Name, n, maxFunction)
			}
			if n := params(f); n > maxParams {
				t.Errorf("%s: %s has %d parameters, more than %d", at, f.Name.Name, n, maxParams)
			}
		}
	}
}

// params counts the parameters of a function, a context aside.
func params(f *ast.FuncDecl) int {
	n := 0
	for _, field := range f.Type.Params.List {
		if sel, ok := field.Type.(*ast.SelectorExpr); ok && sel.Sel.Name == "Context" {
			continue
		}
		n += max(1, len(field.Names))
	}
	return n
}

// TestForbidden holds what would undo a promise if somebody wrote it.
func TestForbidden(t *testing.T) {
	bad := map[string]string{
		"NewPersistentDB":       "chromem-go writes plaintext to disk",
		"ExportToFile":          "chromem-go writes plaintext to disk",
		"ExportToWriter":        "chromem-go writes plaintext to disk",
		"ImportFromFile":        "chromem-go reads gob from disk",
		"ClientFromEnvironment": "obeys proxies and remote hosts",
		"DefaultClient":         "obeys proxies and redirects",
		"DefaultTransport":      "obeys proxies",
	}
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if why, is := bad[sel.Sel.Name]; is {
					t.Errorf("%s: %s: %s", s.fset.Position(n.Pos()), sel.Sel.Name, why)
				}
			}
			return true
		})
	}
}

// TestModule holds that the module builds as it stands for whoever imports it.
func TestModule(t *testing.T) {
	data, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(line, "replace") {
			t.Errorf("go.mod: %q makes the module build otherwise than it says", line)
		}
	}
	for _, dir := range []string{
		"cmd/server", "retrieval/lexical", "retrieval/semantic", "fusion", "cache", "policy",
		"evals/baseline", "evals/hybrid",
	} {
		if found, _ := filepath.Glob(path.Join(dir, "*.go")); len(found) == 0 {
			t.Errorf("%s holds no Go file", dir)
		}
	}
}

// TestDesignTable holds that doc/design.md names every package of the table.
func TestDesignTable(t *testing.T) {
	doc, err := os.ReadFile("doc/design.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range slices.Sorted(maps.Keys(imports)) {
		if pkg == "." || pkg == "scripts/long" {
			continue
		}
		if !strings.Contains(string(doc), fmt.Sprintf("`%s`", pkg)) {
			t.Errorf("doc/design.md does not name package `%s`", pkg)
		}
	}
}
