package telemetry_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	tracecollector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	"google.golang.org/protobuf/proto"

	"candor/telemetry"
)

// collector is an OTLP collector on loopback.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	spans   []map[string]string // attributes, with the span's name and kind
	metrics map[string]uint64   // name and attributes of a point, to its count
	service string
	headers http.Header
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{metrics: map[string]uint64{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.headers = r.Header
		switch r.URL.Path {
		case "/v1/traces":
			c.takeSpans(t, body)
		case "/v1/metrics":
			c.takeMetrics(t, body)
		default:
			t.Errorf("a request for %s", r.URL.Path)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) takeSpans(t *testing.T, body []byte) {
	var sent tracecollector.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &sent); err != nil {
		t.Error(err)
	}
	for _, r := range sent.ResourceSpans {
		c.service = attributes(r.Resource.Attributes)["service.name"]
		for _, s := range r.ScopeSpans {
			for _, span := range s.Spans {
				got := attributes(span.Attributes)
				got["name"], got["kind"], got["status"] = span.Name, span.Kind.String(), span.Status.GetCode().String()
				c.spans = append(c.spans, got)
			}
		}
	}
}

func (c *collector) takeMetrics(t *testing.T, body []byte) {
	var sent v1.ExportMetricsServiceRequest
	if err := proto.Unmarshal(body, &sent); err != nil {
		t.Error(err)
	}
	for _, r := range sent.ResourceMetrics {
		for _, s := range r.ScopeMetrics {
			for _, m := range s.Metrics {
				for _, p := range m.GetHistogram().GetDataPoints() {
					c.metrics[m.Name+point(p.Attributes)] += p.Count
				}
				for _, p := range append(m.GetSum().GetDataPoints(), m.GetGauge().GetDataPoints()...) {
					c.metrics[m.Name+point(p.Attributes)] += uint64(p.GetAsInt())
				}
			}
		}
	}
}

func attributes(list []*common.KeyValue) map[string]string {
	out := map[string]string{}
	for _, kv := range list {
		out[kv.Key] = kv.Value.GetStringValue()
	}
	return out
}

func point(list []*common.KeyValue) string {
	b, _ := json.Marshal(attributes(list)) // sorted by key
	return string(b)
}

func start(t *testing.T, opt telemetry.Options) *telemetry.Telemetry {
	t.Helper()
	got, err := telemetry.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func flush(t *testing.T, tel *telemetry.Telemetry) error {
	t.Helper()
	ctx, done := context.WithTimeout(context.Background(), 20*time.Second)
	defer done()
	return tel.Close(ctx)
}

func TestCallsReachTheCollector(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "team=search")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1") // must not send it elsewhere
	c := newCollector(t)
	tel := start(t, telemetry.Options{Endpoint: c.URL, Version: "1.2.3"})
	search := telemetry.Operation{Method: "tools/call", Tool: "search", RequestID: "7", Transport: "pipe"}
	_, end := tel.Begin(t.Context(), search)
	end(telemetry.Outcome{CallID: "7:9f"})
	_, end = tel.Begin(t.Context(), search)
	end(telemetry.Outcome{Error: "tool_error"})
	_, end = tel.Begin(t.Context(), telemetry.Operation{Method: "resources/list", RequestID: "what is in note 8?", Transport: "tcp"})
	end(telemetry.Outcome{})
	tel.Claims(t.Context(), map[string]int{"hidden_failure": 2})
	tel.ClaimsAlarm(t.Context(), true)
	if err := flush(t, tel); err != nil {
		t.Fatal(err)
	}
	if c.service != "candor" || c.headers.Get("team") != "search" {
		t.Errorf("service %q, headers %v", c.service, c.headers)
	}
	want := []map[string]string{
		{"name": "tools/call search", "mcp.method.name": "tools/call", "gen_ai.tool.name": "search", "gen_ai.operation.name": "execute_tool", "jsonrpc.request.id": "7", "gen_ai.tool.call.id": "7:9f", "network.transport": "pipe", "status": "STATUS_CODE_UNSET"},
		{"name": "tools/call search", "error.type": "tool_error", "status": "STATUS_CODE_ERROR"},
		{"name": "resources/list", "mcp.method.name": "resources/list", "jsonrpc.request.id": "_", "network.transport": "tcp", "gen_ai.tool.name": ""},
	}
	if len(c.spans) != len(want) {
		t.Fatalf("%d spans, want %d: %v", len(c.spans), len(want), c.spans)
	}
	for i, attrs := range want {
		for k, v := range attrs {
			if c.spans[i][k] != v {
				t.Errorf("span %d: %s is %q, want %q", i, k, c.spans[i][k], v)
			}
		}
		if c.spans[i]["kind"] != "SPAN_KIND_SERVER" {
			t.Errorf("span %d: kind %s", i, c.spans[i]["kind"])
		}
	}
	const good = `mcp.server.operation.duration{"gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"search","mcp.method.name":"tools/call","network.transport":"pipe"}`
	const bad = `mcp.server.operation.duration{"error.type":"tool_error","gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"search","mcp.method.name":"tools/call","network.transport":"pipe"}`
	for name, n := range map[string]uint64{good: 1, bad: 1, `candor.claims.checked{"candor.quadrant":"hidden_failure"}`: 2, `candor.claims.alarm{}`: 1} {
		if c.metrics[name] != n {
			t.Errorf("%s: %d, want %d; all: %v", name, c.metrics[name], n, c.metrics)
		}
	}
}

func TestOnlyThisMachine(t *testing.T) {
	c := newCollector(t)
	for name, endpoint := range map[string]string{
		"a remote address": "http://192.0.2.1:4318",
		"a redirect":       redirecting(t, c.URL),
	} {
		var told error
		tel := start(t, telemetry.Options{Endpoint: endpoint, OnError: func(err error) { told = err }})
		_, end := tel.Begin(t.Context(), telemetry.Operation{Method: "ping"})
		end(telemetry.Outcome{})
		err := flush(t, tel)
		if told == nil && err == nil {
			t.Errorf("%s: nobody is told", name)
		}
		if len(c.spans) > 0 {
			t.Errorf("%s: spans arrived", name)
		}
	}
}

func redirecting(t *testing.T, to string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, to+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestOff(t *testing.T) {
	t.Setenv("OTEL_SDK_DISABLED", "true")
	tel := start(t, telemetry.Options{Endpoint: "http://127.0.0.1:1"})
	_, end := tel.Begin(t.Context(), telemetry.Operation{Method: "ping"})
	end(telemetry.Outcome{})
	tel.Claims(t.Context(), nil)
	if tel != nil || flush(t, tel) != nil {
		t.Error("switched off, and there is telemetry")
	}
	t.Setenv("OTEL_SDK_DISABLED", "")
	if _, err := telemetry.Start(t.Context(), telemetry.Options{}); err == nil || !strings.Contains(err.Error(), "endpoint") {
		t.Errorf("no endpoint: %v", err)
	}
}
