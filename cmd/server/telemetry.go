package main

import (
	"context"
	"log/slog"
	"time"

	"candor/mcpserver"
	"candor/provenance"
	"candor/telemetry"
)

// observe gives what a door tells its calls to, where candor.yaml has a telemetry
// section; else nil, and nothing is built. What cannot be sent is logged.
func (s *site) observe(ctx context.Context, transport string, log *slog.Logger) (mcpserver.Observe, error) {
	section := s.cfg.Telemetry
	if section == nil {
		return nil, nil
	}
	t, err := telemetry.Start(ctx, telemetry.Options{
		Endpoint: section.Endpoint, AllowRemote: section.AllowRemote, Version: version(),
		OnError: func(err error) { log.Warn("telemetry is not sent", "error", err) },
	})
	if err != nil {
		return nil, err
	}
	s.telemetry = t
	s.lasting = append(s.lasting, func() {
		last, done := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer done()
		if err := t.Close(last); err != nil {
			log.Warn("the last telemetry is not sent", "error", err)
		}
	})
	return func(ctx context.Context, tool, requestID string) (context.Context, func(callID string, failed bool)) {
		ctx, end := t.Begin(ctx, telemetry.Operation{Method: "tools/call", Tool: tool, RequestID: requestID, Transport: transport})
		return ctx, func(callID string, failed bool) {
			o := telemetry.Outcome{CallID: callID}
			if failed {
				o.Error = "tool_error"
			}
			end(o)
		}
	}, nil
}

// tellClaims counts judged claims by quadrant and tells the alarm about them, where there
// is a collector.
func (s *site) tellClaims(ctx context.Context, g provenance.Grid) {
	if s.telemetry == nil {
		return
	}
	s.telemetry.Claims(ctx, map[string]int{
		string(provenance.BothRight): g.BothRight, string(provenance.WrongSource): g.WrongSource,
		string(provenance.WrongFact): g.WrongFact, string(provenance.BothWrong): g.BothWrong,
		string(provenance.Unknown): g.Unknown,
	})
	if runs, err := s.history().Runs(); err == nil {
		s.telemetry.ClaimsAlarm(ctx, provenance.Alarm(runs))
	}
}
