package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// One red point as PNG, and a WAV file without a sample.
const (
	point   = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
	silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="
)

// fixture is a server with all that the suite asks for.
func fixture() *server.MCPServer {
	s := server.NewMCPServer("conformance-fixture", "1", server.WithToolCapabilities(true), server.WithPromptCapabilities(true),
		server.WithResourceCapabilities(true, true), server.WithCompletions(), server.WithLogging(), server.WithElicitation(), server.WithRoots())
	s.EnableSampling()
	plainTools(s)
	noteTools(s)
	clientTools(s)
	askingTools(s)
	resources(s)
	prompts(s)
	return s
}

// tool adds a tool without arguments.
func tool(s *server.MCPServer, name string, do server.ToolHandlerFunc) {
	s.AddTool(mcp.NewTool(name, mcp.WithDescription("For the scenario of this name.")), do)
}

// always is a tool with one result.
func always(content ...mcp.Content) server.ToolHandlerFunc {
	return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: content}, nil
	}
}

func text(format string, args ...any) mcp.Content {
	return mcp.NewTextContent(fmt.Sprintf(format, args...))
}

func page(uri, kind, text string) mcp.TextResourceContents {
	return mcp.TextResourceContents{URI: uri, MIMEType: kind, Text: text}
}

// plainTools return each form of content.
func plainTools(s *server.MCPServer) {
	tool(s, "test_simple_text", always(text("This is a simple text response for testing.")))
	tool(s, "test_image_content", always(mcp.NewImageContent(point, "image/png")))
	tool(s, "test_audio_content", always(mcp.NewAudioContent(silence, "audio/wav")))
	tool(s, "test_embedded_resource", always(mcp.NewEmbeddedResource(page("test://embedded-resource", "text/plain", "This is an embedded resource content."))))
	tool(s, "test_multiple_content_types", always(text("Multiple content types test:"), mcp.NewImageContent(point, "image/png"),
		mcp.NewEmbeddedResource(page("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`))))
	tool(s, "test_error_handling", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultError("This tool intentionally returns an error for testing"), nil
	})
	tool(s, "test_missing_capability", always(text("The client has sampling.")))
	tool(s, "test_trigger_tool_change", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		tool(s, "added_tool", always(text("I was added.")))
		s.DeleteTools("added_tool")
		return mcp.NewToolResultText("The tools changed."), nil
	})
	tool(s, "test_trigger_prompt_change", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.AddPrompt(described("added_prompt"), say(text("I was added.")))
		s.DeletePrompts("added_prompt")
		return mcp.NewToolResultText("The prompts changed."), nil
	})
}

// steps is how many notifications a tool sends, and pause what lies between them.
const (
	steps = 3
	pause = 50 * time.Millisecond
)

// noteTools send notifications before they answer.
func noteTools(s *server.MCPServer) {
	logs := func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, what := range [steps]string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			note := mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "fixture", what)
			if err := s.SendLogMessageToClient(ctx, note); err != nil {
				return nil, err
			}
			time.Sleep(pause)
		}
		return mcp.NewToolResultText("Logged."), nil
	}
	tool(s, "test_tool_with_logging", logs)
	tool(s, "test_logging_tool", logs)
	tool(s, "test_tool_with_progress", func(ctx context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for done := 0; q.Params.Meta != nil && q.Params.Meta.ProgressToken != nil && done <= 100; done += 50 {
			err := s.SendNotificationToClient(ctx, string(mcp.MethodNotificationProgress), map[string]any{
				"progressToken": q.Params.Meta.ProgressToken, "progress": done, "total": 100, "message": fmt.Sprintf("%d of 100", done),
			})
			if err != nil {
				return nil, err
			}
			time.Sleep(pause)
		}
		return mcp.NewToolResultText("Progress was told."), nil
	})
}

// resources are those that are listed, and a template.
func resources(s *server.MCPServer) {
	read := func(c mcp.ResourceContents) server.ResourceHandlerFunc {
		return func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{c}, nil
		}
	}
	s.AddResource(mcp.NewResource("test://static-text", "static-text", mcp.WithMIMEType("text/plain")),
		read(page("test://static-text", "text/plain", "This is the content of the static text resource.")))
	s.AddResource(mcp.NewResource("test://static-binary", "static-binary", mcp.WithMIMEType("image/png")),
		read(mcp.BlobResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: point}))
	s.AddResource(mcp.NewResource("test://watched-resource", "watched-resource", mcp.WithMIMEType("text/plain")),
		read(page("test://watched-resource", "text/plain", "Watched.")))
	s.AddResourceTemplate(mcp.NewResourceTemplate("test://template/{id}/data", "template", mcp.WithTemplateMIMEType("application/json")),
		func(_ context.Context, q mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			id, _ := q.Params.Arguments["id"].([]string)
			if len(id) != 1 {
				return nil, errors.New("no id")
			}
			return []mcp.ResourceContents{page(q.Params.URI, "application/json",
				fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id[0], id[0]))}, nil
		})
}

// say is a prompt of user messages.
func say(content ...mcp.Content) server.PromptHandlerFunc {
	return func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return messages(content...), nil
	}
}

func messages(content ...mcp.Content) *mcp.GetPromptResult {
	r := &mcp.GetPromptResult{}
	for _, c := range content {
		r.Messages = append(r.Messages, mcp.NewPromptMessage(mcp.RoleUser, c))
	}
	return r
}

// described is a prompt with a description.
func described(name string, opts ...mcp.PromptOption) mcp.Prompt {
	return mcp.NewPrompt(name, append(opts, mcp.WithPromptDescription("For the scenario of this name."))...)
}

// prompts are those of each form.
func prompts(s *server.MCPServer) {
	s.AddPrompt(described("test_simple_prompt"), say(text("This is a simple prompt for testing.")))
	s.AddPrompt(described("test_prompt_with_image"), say(mcp.NewImageContent(point, "image/png"), text("Please analyze the image above.")))
	s.AddPrompt(described("test_prompt_with_arguments",
		mcp.WithArgument("arg1", mcp.RequiredArgument()), mcp.WithArgument("arg2", mcp.RequiredArgument())),
		func(_ context.Context, q mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return messages(text("Prompt with arguments: arg1='%s', arg2='%s'", q.Params.Arguments["arg1"], q.Params.Arguments["arg2"])), nil
		})
	s.AddPrompt(described("test_prompt_with_embedded_resource", mcp.WithArgument("resourceUri", mcp.RequiredArgument())),
		func(_ context.Context, q mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return messages(mcp.NewEmbeddedResource(page(q.Params.Arguments["resourceUri"], "text/plain", "Embedded resource content for testing.")),
				text("Please process the embedded resource above.")), nil
		})
}
