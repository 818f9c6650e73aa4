package mcpserver

import (
	"context"
	_ "embed"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"candor/provenance"
)

//go:embed prompt.md
var groundedAnswer string

const promptName = "grounded_answer"

func (s *Server) addPrompt() {
	s.mcp.AddPrompt(mcp.Prompt{
		Name: promptName, Title: "Answer from the notes",
		Description: "Have a question answered from the notes alone, with a citation for each statement.",
		Arguments:   []mcp.PromptArgument{{Name: "question", Description: "the question, at most 4096 bytes", Required: true}},
	}, s.prompt)
}

// prompt answers prompts/get.
func (s *Server) prompt(ctx context.Context, q mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	arguments, err := encode(q.Params.Arguments)
	if err != nil {
		return nil, err
	}
	stamp, err := s.stamp(ctx, stamped{tool: string(mcp.MethodPromptsGet), arguments: arguments})
	if err != nil {
		return nil, err
	}
	words := mark(groundedAnswer+provenance.Defang(q.Params.Arguments["question"]), stamp) + "\n"
	result := mcp.NewGetPromptResult("Answer from the notes, with citations",
		[]mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(words))})
	if stamp != nil {
		result.Meta = mcp.NewMetaFromMap(map[string]any{stampKey: *stamp})
	}
	return result, nil
}

// checkPrompt refuses a prompt that is not there and arguments that do not fit it.
func checkPrompt(params map[string]json.RawMessage) *rpcError {
	if plain(params["name"]) != promptName {
		return badParams("name: no such prompt; prompts/list names them")
	}
	given, err := object(params["arguments"])
	if err != nil {
		return badParams("arguments must be an object")
	}
	question, ok := stringOf(given["question"])
	if !ok || question == "" || len(question) > maxQuery || len(given) > 1 {
		return badParams("arguments must be a question, a string of 1 to 4096 bytes, and nothing else")
	}
	return nil
}
