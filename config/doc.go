// Package config finds, reads and checks candor.yaml.
//
// # Where it is looked for
//
// The file named by --config, else by $CANDOR_CONFIG, else ./candor.yaml, else
// candor/candor.yaml in the user's configuration folder. A file that is named and
// missing is an error, never a reason to look further.
//
// # How it is read
//
// One table of keys (keys.go) drives both the reader and [Schema], so the two cannot
// differ. Reading is strict: an unknown key, a repeated key, a key without a value, a
// value of another type or outside its range are problems, and so are YAML's anchors,
// aliases and tags, which a file of this kind does not need. All problems are
// reported together, each with its line, its key and what to write instead.
//
// # What is checked besides
//
// Folders: a vault must exist, may not overlap another, and may not hold candor's own
// folders (key, cache, journal, verdict), which would put them into the index. The
// address of Ollama must be a literal loopback address. Globs and patterns must
// compile. Relative paths start at the folder of candor.yaml; ~, $NAME, ${NAME} and
// %NAME% are expanded, since clients start servers without a shell, and $$ and %%
// stand for the signs themselves.
package config
