package config

import (
	"regexp"
	"strings"
	"time"
)

// Defaults that more than one place needs.
const (
	defaultModel = "all-minilm"
	defaultPort  = "11434"
	forever      = 10 * 365 * 24 * time.Hour // longest duration that is taken
)

var (
	vaultName   = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)
	profileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)
)

// fresh is the configuration that an empty file would mean if it had a vault.
func fresh() Config {
	return Config{
		Language:  []string{"en"},
		Retrieval: freshRetrieval(),
		Cache:     true,
		Provenance: Provenance{
			Journal: "sealed", TTL: 24 * time.Hour, Mode: "stamp",
		},
		Limits: freshLimits(),
		Evals:  Evals{Confidence: 0.8},
	}
}

func freshRetrieval() Retrieval {
	return Retrieval{Mode: "auto", RRFK: 60, Weights: Weights{1, 1}}
}

func freshLimits() Limits {
	return Limits{FileBytes: 16 << 20, Results: 50, ResultTokens: 8000, WriteBytes: 64 << 10, IndexBytes: 1 << 30}
}

func freshOllama() Ollama { return Ollama{Model: defaultModel, KeepAlive: 30 * time.Minute} }

func blank[T any]() T {
	var zero T
	return zero
}

// table is candor.yaml: every key, what it means, how it is read and what it is when
// absent.
func table() value[Config] {
	return object(fresh,
		must(key("vaults", "The folders of notes.", vaultsValue(), func(c *Config) *[]Vault { return &c.Vaults })),
		key("profiles", "Named sets of allow and deny globs, each with indexes of its own. Absent: one profile that sees all.",
			profilesValue(), func(c *Config) *map[string]Rules { return &c.Profiles }),
		key("default_profile", "The profile of the command line and of stdio. HTTP never falls back to it. With one profile it may be left out.",
			text("the name of a profile", schema{}, nil), func(c *Config) *string { return &c.DefaultProfile }),
		key("language", "Languages whose words are stemmed; [] for none.",
			lists(oneOf("en", "de", "es", "fr", "hu", "no", "ru", "sv")), func(c *Config) *[]string { return &c.Language }),
		key("ollama", "The embedder. Absent: lexical search alone and no network client at all.",
			optional(ollamaValue()), func(c *Config) **Ollama { return &c.Ollama }),
		key("retrieval", "How hits are ranked.", retrievalValue(), func(c *Config) *Retrieval { return &c.Retrieval }),
		key("evidence", "What a passage must reach to be cited. Absent keys keep the built-in bars; 0 switches a gate off.",
			evidenceValue(), func(c *Config) *Evidence { return &c.Evidence }),
		key("trust", "Tiers of notes; the first rule that matches grades a note. Needs trust_default.",
			trustValue(), func(c *Config) *[]Trust { return &c.Trust }),
		key("trust_default", "Tier of the notes that no trust rule matches.", tierValue(), func(c *Config) *int { return &c.TrustDefault }),
		key("cache", "Keep sealed vectors on disk; off: in memory only.", toggle(), func(c *Config) *bool { return &c.Cache }),
		key("provenance", "What is kept of calls.", provenanceValue(), func(c *Config) *Provenance { return &c.Provenance }),
		key("write", "The write zone. Absent: nothing can be written.", writeValue(), func(c *Config) *Write { return &c.Write }),
		key("limits", "Bounds of files, requests and answers.", limitsValue(), func(c *Config) *Limits { return &c.Limits }),
		key("evals", "The owner's questions.", evalsValue(), func(c *Config) *Evals { return &c.Evals }),
		key("redact", "Additions to the built-in rules of the masker.", redactValue(), func(c *Config) *Redact { return &c.Redact }),
		key("telemetry", "Where traces go. Absent: nowhere.", optional(telemetryValue()), func(c *Config) **Telemetry { return &c.Telemetry }),
	)
}

func vaultsValue() value[[]Vault] {
	name := text("a name", schema{"pattern": vaultName.String()}, func(v string) (string, string) {
		if vaultName.MatchString(v) {
			return "", ""
		}
		return "is not a name that can be used here", "a name is " + vaultNames
	})
	vault := object(blank[Vault],
		must(key("name", "Name of the vault: "+vaultNames+".", name, func(v *Vault) *string { return &v.Name })),
		must(key("root", "Its folder; a relative path starts at the folder of candor.yaml.",
			filledText("a folder"), func(v *Vault) *string { return &v.Root })),
	)
	return filled(lists(vault), length, "names no vault", "write [{name: notes, root: ./notes}]")
}

const (
	vaultNames   = "small letters, digits, _ and -, beginning with a letter or digit"
	profileNames = "letters, digits, _ and -, beginning with a letter or digit"
)

// filledText reads a string that is not empty.
func filledText(want string) value[string] {
	return text(want, schema{"minLength": 1}, func(v string) (string, string) {
		if strings.TrimSpace(v) == "" {
			return "must not be empty", "write " + want
		}
		return "", ""
	})
}

func length[E any](s []E) int { return len(s) }

func profilesValue() value[map[string]Rules] {
	globs := lists(text("a glob", schema{"minLength": 1}, globFault))
	rules := object(blank[Rules],
		key("allow", "Globs of the paths that the profile may see; what none matches is denied.", globs, func(r *Rules) *[]string { return &r.Allow }),
		key("deny", "Globs of the paths that it may not see, whatever allow says.", globs, func(r *Rules) *[]string { return &r.Deny }),
	)
	rules = filled(rules, func(r Rules) int { return len(r.Allow) + len(r.Deny) }, "has neither allow nor deny rules",
		`write {allow: ["**"]} to allow all, or remove the profile`)
	return filled(dict(profileName, profileNames, rules), func(m map[string]Rules) int { return len(m) }, "names no profile",
		"remove the key for one profile that sees all, or write a profile")
}

func ollamaValue() value[Ollama] {
	return object(freshOllama,
		key("url", "Address of Ollama: http, a literal loopback address, a port. Absent: $OLLAMA_HOST, else http://127.0.0.1:11434.",
			ollamaURL(), func(o *Ollama) *string { return &o.URL }),
		key("model", "The embedding model.", text("the name of a model", schema{"pattern": modelName.String()}, modelFault), func(o *Ollama) *string { return &o.Model }),
		key("keep_alive", "How long Ollama keeps the model loaded: 30m, seconds as a number, 0 for not at all, below 0 for ever.",
			keepAlive(), func(o *Ollama) *time.Duration { return &o.KeepAlive }),
		key("query_prefix", "Put before queries. Absent: what the model is known to need.",
			optional(text("text", schema{"maxLength": 256}, prefixFault)), func(o *Ollama) **string { return &o.QueryPrefix }),
		key("document_prefix", "Put before passages. Absent: what the model is known to need.",
			optional(text("text", schema{"maxLength": 256}, prefixFault)), func(o *Ollama) **string { return &o.DocumentPrefix }),
	)
}

func retrievalValue() value[Retrieval] {
	weights := object(func() Weights { return freshRetrieval().Weights },
		key("lexical", "Weight of the lexical leg.", number(0.0, 100.0), func(w *Weights) *float64 { return &w.Lexical }),
		key("semantic", "Weight of the semantic leg.", number(0.0, 100.0), func(w *Weights) *float64 { return &w.Semantic }),
	)
	return object(freshRetrieval,
		key("mode", "auto: hybrid while a recorded verdict allows it, else lexical.", oneOf("auto", "lexical"), func(r *Retrieval) *string { return &r.Mode }),
		key("rrf_k", "The k of reciprocal rank fusion.", number(1, 10000), func(r *Retrieval) *int { return &r.RRFK }),
		key("weights", "Weights of the legs in fusion.", weights, func(r *Retrieval) *Weights { return &r.Weights }),
	)
}

func evidenceValue() value[Evidence] {
	return object(blank[Evidence],
		key("min_score", "Least share of the highest score that the query could reach.", optional(number(0.0, 1.0)), func(e *Evidence) **float64 { return &e.MinScore }),
		key("min_coverage", "Least weighted share of the query's content words that a passage covers.", optional(number(0.0, 1.0)), func(e *Evidence) **float64 { return &e.MinCoverage }),
		key("per_note", "Most passages of one note in a page.", optional(number(0, 1000)), func(e *Evidence) **int { return &e.PerNote }),
	)
}

func tierValue() value[int] {
	return convert(oneOf("T0", "T1", "T2", "T3"), func(v string) int { return int(v[1] - '0') })
}

func trustValue() value[[]Trust] {
	paths := filled(lists(text("a glob", schema{"minLength": 1}, globFault)), length, "names no path", `write ["policies/**"]`)
	rule := object(blank[Trust],
		must(key("paths", "Globs of the notes that it grades.", paths, func(t *Trust) *[]string { return &t.Paths })),
		must(key("tier", "T0 first-party, T1 vetted, T2 community, T3 unknown and never served.", tierValue(), func(t *Trust) *int { return &t.Tier })),
		key("review_by", "The day after which the grade is overdue.", date(), func(t *Trust) *time.Time { return &t.ReviewBy }),
	)
	return filled(lists(rule), length, "has no rule", "remove the key, or write a rule with paths and tier")
}

func provenanceValue() value[Provenance] {
	return object(func() Provenance { return fresh().Provenance },
		key("journal", "How calls are kept: sealed, digests alone, or not at all.", oneOf("sealed", "digests", "off"), func(p *Provenance) *string { return &p.Journal }),
		key("ttl", "Lifetime of a stamp.", duration(time.Second, forever), func(p *Provenance) *time.Duration { return &p.TTL }),
		key("mode", "How far checks of claims go.", oneOf("stamp", "shadow", "gate", "enforce"), func(p *Provenance) *string { return &p.Mode }),
	)
}

func writeValue() value[Write] {
	path := filledText("a path")
	zone := object(blank[Write],
		key("drafts", "Folder for new notes, made when first needed.", path, func(w *Write) *string { return &w.Drafts }),
		key("ledger", "Append-only file.", path, func(w *Write) *string { return &w.Ledger }),
	)
	return filled(zone, func(w Write) int { return len(w.Drafts) + len(w.Ledger) }, "names neither drafts nor ledger",
		"remove the key to allow no writes, or write {drafts: drafts, ledger: ledger.jsonl}")
}

func limitsValue() value[Limits] {
	return object(freshLimits,
		key("file_bytes", "A larger note is skipped.", size[int64](1<<10, 256<<20), func(l *Limits) *int64 { return &l.FileBytes }),
		key("results", "Most hits in a page.", number(1, 200), func(l *Limits) *int { return &l.Results }),
		key("result_tokens", "Most tokens in each half of a result, 3 bytes each.", number(1000, 25000), func(l *Limits) *int { return &l.ResultTokens }),
		key("chunk_words", "Most words of a passage. Absent: the chunker's own.", number(40, 2000), func(l *Limits) *int { return &l.ChunkWords }),
		key("write_bytes", "Largest draft or ledger entry.", size(1<<10, 1<<20), func(l *Limits) *int { return &l.WriteBytes }),
		key("index_bytes", "Most bytes of notes that are indexed.", size[int64](1<<20, 64<<30), func(l *Limits) *int64 { return &l.IndexBytes }),
	)
}

func evalsValue() value[Evals] {
	return object(func() Evals { return fresh().Evals },
		key("topics", "File of questions.", filledText("a file"), func(e *Evals) *string { return &e.Topics }),
		key("confidence", "Confidence that a verdict for hybrid needs.", number(0.5, 0.999), func(e *Evals) *float64 { return &e.Confidence }),
	)
}

func redactValue() value[Redact] {
	rule := object(blank[Pattern],
		must(key("name", "Kind that a mask names: "+profileNames+".", text("a name", schema{"pattern": profileName.String()}, func(v string) (string, string) {
			if profileName.MatchString(v) {
				return "", ""
			}
			return "is not a name that can be used here", "a name is " + profileNames
		}), func(p *Pattern) *string { return &p.Name })),
		must(key("pattern", "Regular expression (RE2) of what is masked.", text("a pattern", schema{"minLength": 1}, patternFault), func(p *Pattern) *string { return &p.Pattern })),
	)
	return object(blank[Redact],
		key("rules", "More kinds of secrets.", lists(rule), func(r *Redact) *[]Pattern { return &r.Rules }),
		key("allow", "Values that are never masked: exact, or /regular expression/.", lists(text("a value", schema{"minLength": 1}, allowFault)), func(r *Redact) *[]string { return &r.Allow }),
		key("flags", "Prefixes of challenge flags: HTB for HTB{…}.", lists(text("a prefix", schema{"pattern": flagPrefix.String()}, flagFault)), func(r *Redact) *[]string { return &r.Flags }),
	)
}

func telemetryValue() value[Telemetry] {
	return object(blank[Telemetry],
		must(key("endpoint", "Base URL of an OTLP collector, such as http://127.0.0.1:4318.", filledText("a URL"), func(t *Telemetry) *string { return &t.Endpoint })),
		key("allow_remote", "Let the endpoint be another machine.", toggle(), func(t *Telemetry) *bool { return &t.AllowRemote }),
	)
}
