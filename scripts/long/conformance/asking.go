package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// object is a schema of named properties, all required where need says so.
func object(need bool, properties map[string]any) map[string]any {
	schema := map[string]any{"type": "object", "properties": properties}
	if need {
		var names []string
		for name := range properties {
			names = append(names, name)
		}
		schema["required"] = names
	}
	return schema
}

func kind(of string) map[string]any { return map[string]any{"type": of} }

// clientTools ask the client on the stream of the call, as protocols with sessions do.
func clientTools(s *server.MCPServer) {
	s.AddTool(mcp.NewTool("test_sampling", mcp.WithDescription("Asks the client's model."), mcp.WithString("prompt", mcp.Required())),
		always(text("Not asked: see beside.go.")))
	elicit := func(message string, schema map[string]any) server.ToolHandlerFunc {
		return func(ctx context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			answer, err := s.RequestElicitation(ctx, mcp.ElicitationRequest{
				Request: mcp.Request{Method: string(mcp.MethodElicitationCreate)},
				Params:  mcp.ElicitationParams{Message: q.GetString("message", message), RequestedSchema: schema},
			})
			if err != nil {
				return nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{text("Elicitation completed: action=%s, content=%v", answer.Action, answer.Content)}}, nil
		}
	}
	s.AddTool(mcp.NewTool("test_elicitation", mcp.WithDescription("Asks the user."), mcp.WithString("message", mcp.Required())),
		elicit("", object(true, map[string]any{"username": kind("string"), "email": kind("string")})))
	given := func(of string, value any) map[string]any { return map[string]any{"type": of, "default": value} }
	tool(s, "test_elicitation_sep1034_defaults", elicit("Review the values.", object(false, map[string]any{
		"name": given("string", "John Doe"), "age": given("integer", 30), "score": given("number", 95.5), "verified": given("boolean", true),
		"status": map[string]any{"type": "string", "enum": []string{"active", "inactive", "pending"}, "default": "active"},
	})))
	one := []string{"option1", "option2", "option3"}
	titled := []map[string]string{{"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}}
	tool(s, "test_elicitation_sep1330_enums", elicit("Choose.", object(false, map[string]any{
		"untitledSingle": map[string]any{"type": "string", "enum": one},
		"titledSingle":   map[string]any{"type": "string", "oneOf": titled},
		"legacyEnum": map[string]any{
			"type": "string", "enum": []string{"opt1", "opt2", "opt3"}, "enumNames": []string{"Option One", "Option Two", "Option Three"},
		},
		"untitledMulti": map[string]any{"type": "array", "items": map[string]any{"type": "string", "enum": one}},
		"titledMulti":   map[string]any{"type": "array", "items": map[string]any{"anyOf": titled}},
	})))
}

func sample(prompt string) mcp.CreateMessageParams {
	return mcp.CreateMessageParams{Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(prompt)}}, MaxTokens: 100}
}

func form(message, field, of string) mcp.ElicitationParams {
	return mcp.ElicitationParams{Message: message, RequestedSchema: object(true, map[string]any{field: kind(of)})}
}

// answered is the value of a field in an accepted answer, nil if there is none.
func answered(r mcp.InputResponses, id, field string) any {
	a := server.ElicitationResponse(r, id)
	if a == nil || a.Action != mcp.ElicitationResponseActionAccept {
		return nil
	}
	values, _ := a.Content.(map[string]any)
	return values[field]
}

// seal makes a state that only this process can have made.
func seal(state string) string {
	mac := hmac.New(sha256.New, []byte("of this fixture alone"))
	mac.Write([]byte(state))
	return state + "." + hex.EncodeToString(mac.Sum(nil))
}

// opened is the state that was sealed.
func opened(sealed string) (string, error) {
	state, _, _ := strings.Cut(sealed, ".")
	if !hmac.Equal([]byte(seal(state)), []byte(sealed)) {
		return "", errors.New("the state is not one that was given")
	}
	return state, nil
}

// askingTools ask in their result, and are called again with the answers.
func askingTools(s *server.MCPServer) {
	const name = "test_input_required_result_"
	tool(s, name+"elicitation", asksName)
	tool(s, "test_streaming_elicitation", asksName)
	tool(s, name+"sampling", func(_ context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if a := server.SamplingResponse(q.Params.InputResponses, "capital_question"); a != nil {
			return &mcp.CallToolResult{Content: []mcp.Content{text("%v", a.Content)}}, nil
		}
		return server.NewInputRequestBuilder("").Sample("capital_question", sample("What is the capital of France?")).ToolResult(), nil
	})
	tool(s, name+"list_roots", func(_ context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if a := server.RootsResponse(q.Params.InputResponses, "client_roots"); a != nil {
			return &mcp.CallToolResult{Content: []mcp.Content{text("%v", a.Roots)}}, nil
		}
		return server.NewInputRequestBuilder("").Roots("client_roots").ToolResult(), nil
	})
	tool(s, name+"request_state", keepsState)
	tool(s, name+"tampered_state", keepsState)
	tool(s, name+"multiple_inputs", asksThree)
	tool(s, name+"multi_round", asksTwice)
	tool(s, name+"capabilities", asksWhatItMay)
	s.AddPrompt(described(name+"prompt"), func(_ context.Context, q mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if a := answered(q.Params.InputResponses, "user_context", "context"); a != nil {
			return messages(text("With the context %v.", a)), nil
		}
		return server.NewInputRequestBuilder("").Elicit("user_context", form("What context should the prompt use?", "context", "string")).PromptResult(), nil
	})
}

func asksName(_ context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if a := answered(q.Params.InputResponses, "user_name", "name"); a != nil {
		return &mcp.CallToolResult{Content: []mcp.Content{text("Hello, %v!", a)}}, nil
	}
	return server.NewInputRequestBuilder("").Elicit("user_name", form("What is your name?", "name", "string")).ToolResult(), nil
}

func keepsState(_ context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if q.Params.RequestState != "" {
		if _, err := opened(q.Params.RequestState); err != nil {
			return nil, err
		}
		if answered(q.Params.InputResponses, "confirm", "ok") != nil {
			return mcp.NewToolResultText("state-ok"), nil
		}
	}
	return server.NewInputRequestBuilder(seal("begun")).Elicit("confirm", form("Please confirm", "ok", "boolean")).ToolResult(), nil
}

func asksThree(_ context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	r := q.Params.InputResponses
	name, greeting, roots := answered(r, "user_name", "name"), server.SamplingResponse(r, "greeting"), server.RootsResponse(r, "client_roots")
	if name != nil && greeting != nil && roots != nil {
		if _, err := opened(q.Params.RequestState); err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{text("%v: %v %v", name, greeting.Content, roots.Roots)}}, nil
	}
	return server.NewInputRequestBuilder(seal("three")).Elicit("user_name", form("What is your name?", "name", "string")).
		Sample("greeting", sample("Generate a greeting")).Roots("client_roots").ToolResult(), nil
}

func asksTwice(_ context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	at := ""
	if q.Params.RequestState != "" {
		var err error
		if at, err = opened(q.Params.RequestState); err != nil {
			return nil, err
		}
	}
	color := answered(q.Params.InputResponses, "step2", "color")
	switch {
	case at == "second" && color != nil:
		return &mcp.CallToolResult{Content: []mcp.Content{text("Your color is %v.", color)}}, nil
	case at == "second", at == "first" && answered(q.Params.InputResponses, "step1", "name") != nil:
		return server.NewInputRequestBuilder(seal("second")).
			Elicit("step2", form("Step 2: What is your favorite color?", "color", "string")).ToolResult(), nil
	}
	return server.NewInputRequestBuilder(seal("first")).Elicit("step1", form("Step 1: What is your name?", "name", "string")).ToolResult(), nil
}

// asksWhatItMay asks by what the client says that it can do.
func asksWhatItMay(ctx context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if len(q.Params.InputResponses) > 0 {
		return mcp.NewToolResultText("Answered."), nil
	}
	b := server.NewInputRequestBuilder("")
	caps := &mcp.ClientCapabilities{}
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.ClientCapabilities != nil {
		caps = info.ClientCapabilities
	}
	if caps.Elicitation != nil {
		b.Elicit("ask", form("What is your name?", "name", "string"))
	}
	if caps.Sampling != nil {
		b.Sample("sample", sample("Generate a greeting"))
	}
	return b.ToolResult(), nil
}
