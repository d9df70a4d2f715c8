import { AsyncLocalStorage } from "node:async_hooks";
import type { Span } from "@opentelemetry/api";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import manifest from "../../package.json" with { type: "json" };
import type { Config } from "../config.ts";
import { withDeadline } from "../ground/deadline.ts";
import { Tracing } from "./tracing.ts";

type Warn = (message: string, error?: Error) => void;

const warningPauseMs = 60_000;
/** The service ends without its last spans rather than wait longer for a collector. */
const closeDeadlineMs = 2_000;

/**
 * With --traces it loads OpenTelemetry's SDK, which nothing else of the service does, and begins to
 * trace; else it gives undefined. `warn` is told at most once a minute that spans could not be
 * sent; they are dropped then.
 */
export async function openTracing(
  { traces: url, traceShare }: Pick<Config, "traces" | "traceShare">,
  warn: Warn,
): Promise<Tracing | undefined> {
  if (url === undefined) return undefined;
  const { ROOT_CONTEXT, trace, defaultTextMapGetter } = await import("@opentelemetry/api");
  const { W3CTraceContextPropagator } = await import("@opentelemetry/core");
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
  const { resourceFromAttributes } = await import("@opentelemetry/resources");
  const { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } =
    await import("@opentelemetry/sdk-trace");
  const current = new AsyncLocalStorage<Span>();
  const exporter = warning(new OTLPTraceExporter({ url }), warn, current);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": "lossless",
      "service.version": manifest.version,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(traceShare) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const propagator = new W3CTraceContextPropagator();
  return new Tracing({
    tracer: provider.getTracer("lossless"),
    current,
    contextOf: (headers) => propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter),
    within: (span) => trace.setSpan(ROOT_CONTEXT, span),
    close: () =>
      withDeadline(
        closeDeadlineMs,
        () => provider.shutdown(),
        () => warn("the last traces could not be sent before the end"),
      ),
  });
}

/**
 * Says that spans are lost, and why, but not for each batch. It sends outside of every span: the
 * request to the collector is no part of the one whose end filled a batch.
 */
function warning(
  exporter: SpanExporter,
  warn: Warn,
  current: AsyncLocalStorage<Span>,
): SpanExporter {
  let saidAtMs = -Infinity;
  return {
    export(spans, done) {
      current.exit(() => {
        exporter.export(spans, (result) => {
          if (result.error !== undefined && performance.now() - saidAtMs > warningPauseMs) {
            saidAtMs = performance.now();
            warn("traces could not be sent; those spans are dropped", result.error);
          }
          done(result);
        });
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
