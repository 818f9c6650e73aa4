package semantic

import "strings"

// Prefixes are what a model wants before a text, by its role.
type Prefixes struct {
	Query, Document string
}

// families are the prefixes that model families were trained with, by a part of the
// model's name. The first match counts. all-minilm and others that are not named here
// were trained with none.
var families = []struct {
	name string
	Prefixes
}{
	{"nomic-embed", Prefixes{"search_query: ", "search_document: "}},
	{"embeddinggemma", Prefixes{"task: search result | query: ", "title: none | text: "}},
	{"qwen3-embedding", Prefixes{"Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:", ""}},
	{"mxbai-embed", Prefixes{"Represent this sentence for searching relevant passages: ", ""}},
	{"snowflake-arctic-embed2", Prefixes{"query: ", ""}},
	{"snowflake-arctic-embed", Prefixes{"Represent this sentence for searching relevant passages: ", ""}},
	{"multilingual-e5-large-instruct", Prefixes{"Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ", ""}},
	{"e5-", Prefixes{"query: ", "passage: "}},
	{"bge-m3", Prefixes{}},
	{"bge-", Prefixes{"Represent this sentence for searching relevant passages: ", ""}},
	{"granite-embedding", Prefixes{}},
	{"all-minilm", Prefixes{}},
}

// Family gives the prefixes that a model is known to need.
func Family(model string) Prefixes {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, f := range families {
		if strings.HasPrefix(name, f.name) || strings.Contains(name, "-"+f.name) || strings.Contains(name, "_"+f.name) {
			return f.Prefixes
		}
	}
	return Prefixes{}
}
