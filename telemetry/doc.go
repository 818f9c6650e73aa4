// Package telemetry sends traces and metrics of calls to an OpenTelemetry collector,
// by the semantic conventions for MCP and for generative AI.
//
// There is a span for each call and one histogram of how long calls took. Both name the
// method, the tool, the transport and how the call ended; the span also has the id of
// the request and the call id of the stamp, by which a claim leads to its trace.
// Claims that were checked are counted by quadrant, and a gauge is 1 while they give alarm.
// None of these ever holds a query, an argument, a path or text of a note.
//
// Nothing is built unless candor.yaml has a telemetry section. The standard variables
// of OpenTelemetry, such as OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER and
// OTEL_EXPORTER_OTLP_HEADERS, refine what is sent; they cannot turn it on or send it
// elsewhere. OTEL_SDK_DISABLED=true turns it off. The collector is taken to be as
// unreliable as any peer: calls never wait for it, and what it cannot take is dropped.
package telemetry
