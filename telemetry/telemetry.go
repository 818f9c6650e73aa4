package telemetry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/semconv/v1.41.0/mcpconv"
	"go.opentelemetry.io/otel/trace"
)

// scope names the instrumentation.
const scope = "candor"

// Options say where telemetry goes.
type Options struct {
	// Endpoint is the base URL of an OTLP collector over HTTP; /v1/traces and
	// /v1/metrics are added to it. Its address must be a literal loopback one unless
	// AllowRemote.
	Endpoint    string
	AllowRemote bool
	Version     string      // of the service
	OnError     func(error) // told what could not be sent; nil: nobody
}

// Telemetry records calls. A nil one records nothing. It is safe for concurrent use.
type Telemetry struct {
	traces   *sdktrace.TracerProvider
	metrics  *sdkmetric.MeterProvider
	tracer   trace.Tracer
	duration mcpconv.ServerOperationDuration
	claims   metric.Int64Counter
	alarm    metric.Int64Gauge
}

// Start builds the exporters without connecting to anything. It gives nil, which
// records nothing, when OTEL_SDK_DISABLED says so.
func Start(ctx context.Context, opt Options) (*Telemetry, error) {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return nil, nil
	}
	if opt.Endpoint == "" {
		return nil, errors.New("telemetry: no endpoint")
	}
	onError := opt.OnError
	if onError == nil {
		onError = func(error) {}
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(onError))
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(semconv.ServiceName("candor"), semconv.ServiceVersion(cmp.Or(opt.Version, "dev"))),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("telemetry: describe the service: %w", err)
	}
	t := &Telemetry{}
	if err := t.export(ctx, opt, about); err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	return t, nil
}

// export builds the two providers and the instruments.
func (t *Telemetry) export(ctx context.Context, opt Options, about *resource.Resource) error {
	base, client := strings.TrimSuffix(opt.Endpoint, "/"), newClient(opt.AllowRemote)
	spans, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(base+"/v1/traces"),
		otlptracehttp.WithHTTPClient(client), otlptracehttp.WithRetry(otlptracehttp.RetryConfig{}))
	if err != nil {
		return err
	}
	numbers, err := otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(base+"/v1/metrics"),
		otlpmetrichttp.WithHTTPClient(client), otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{}))
	if err != nil {
		return err
	}
	t.traces = sdktrace.NewTracerProvider(sdktrace.WithBatcher(spans), sdktrace.WithResource(about))
	t.metrics = sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(numbers)), sdkmetric.WithResource(about))
	t.tracer = t.traces.Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL))
	meter := t.metrics.Meter(scope, metric.WithSchemaURL(semconv.SchemaURL))
	// The buckets that the conventions advise for this histogram, in seconds.
	buckets := metric.WithExplicitBucketBoundaries(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60)
	if t.duration, err = mcpconv.NewServerOperationDuration(meter, buckets); err != nil {
		return err
	}
	t.claims, err = meter.Int64Counter("candor.claims.checked", metric.WithUnit("{claim}"),
		metric.WithDescription("Claims that were checked, by where they stand on the axes of fact and source."))
	if err != nil {
		return err
	}
	t.alarm, err = meter.Int64Gauge("candor.claims.alarm", metric.WithUnit("1"),
		metric.WithDescription("1 if the share of right facts with a wrong source among the failures rose from the run before to the last, else 0."))
	return err
}

// Close sends what is left and stops, within ctx.
func (t *Telemetry) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return errors.Join(t.traces.Shutdown(ctx), t.metrics.Shutdown(ctx))
}

// Operation is one request of a client.
type Operation struct {
	Method    string // of MCP: tools/call
	Tool      string // of ours, "" for other methods
	RequestID string // the JSON-RPC id, as text
	Transport string // pipe or tcp
}

// Outcome is how an operation ended.
type Outcome struct {
	CallID string // of the stamp; "" without one
	Error  string // a class with few values, such as tool_error; "" for none
}

// Begin opens the span of an operation; the function that it gives closes it and
// counts the operation.
func (t *Telemetry) Begin(ctx context.Context, op Operation) (context.Context, func(Outcome)) {
	if t == nil {
		return ctx, func(Outcome) {}
	}
	shared := op.attributes()
	name := strings.TrimSpace(op.Method + " " + op.Tool)
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(shared...),
		trace.WithAttributes(semconv.McpMethodNameKey.String(op.Method), semconv.JSONRPCRequestID(label(op.RequestID))))
	begun := time.Now()
	return ctx, func(end Outcome) {
		took := time.Since(begun).Seconds()
		if end.CallID != "" {
			span.SetAttributes(semconv.GenAIToolCallID(end.CallID))
		}
		if end.Error != "" {
			kind := semconv.ErrorTypeKey.String(end.Error)
			span.SetAttributes(kind)
			span.SetStatus(codes.Error, end.Error)
			shared = append(shared, kind)
		}
		span.End()
		t.duration.Record(ctx, took, mcpconv.MethodNameAttr(op.Method), shared...)
	}
}

// attributes are those that span and histogram share; each has few values.
func (op Operation) attributes() []attribute.KeyValue {
	out := []attribute.KeyValue{semconv.NetworkTransportKey.String(op.Transport)}
	if op.Tool != "" {
		out = append(out, semconv.GenAIToolName(op.Tool), semconv.GenAIOperationNameExecuteTool)
	}
	return out
}

// Claims counts checked claims by quadrant.
func (t *Telemetry) Claims(ctx context.Context, quadrants map[string]int) {
	if t == nil {
		return
	}
	for name, n := range quadrants {
		t.claims.Add(ctx, int64(n), metric.WithAttributes(attribute.String("candor.quadrant", name)))
	}
}

// ClaimsAlarm tells whether the share of right facts with a wrong source among the failures rose.
func (t *Telemetry) ClaimsAlarm(ctx context.Context, rose bool) {
	if t == nil {
		return
	}
	n := int64(0)
	if rose {
		n = 1
	}
	t.alarm.Record(ctx, n)
}

// label is an id as far as it is one: a client may put anything there, and text of its
// user does not belong to a collector.
func label(id string) string {
	const longest = 64
	if len(id) > longest || strings.ContainsFunc(id, func(r rune) bool {
		return r != '-' && r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		return "_"
	}
	return id
}
