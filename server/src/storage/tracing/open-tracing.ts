import { AsyncLocalStorage } from "node:async_hooks";
import type { Span } from "@opentelemetry/api";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import manifest from "../../../package.json" with { type: "json" };
import type { Config } from "../../settings/config.ts";
import { ConfigError } from "../../settings/options.ts";
import { withDeadline } from "../../ground/deadline.ts";
import { Tracing } from "./tracing.ts";

type Warn = (message: string, error?: Error) => void;

const warningPauseMs = 60_000;
/** The service ends without its last spans rather than wait longer for a collector. */
const closeDeadlineMs = 2_000;

/**
 * Opens tracing with --traces and loads OpenTelemetry's SDK, which nothing else of the service
 * does; else undefined. `warn` is called at most once a minute when spans could not be sent; they
 * are discarded then.
 */
export async function openTracing(
  { traces: url, traceShare }: Pick<Config, "traces" | "traceShare">,
  warn: Warn,
): Promise<Tracing | undefined> {
  if (url === undefined) return undefined;
  const { api, core, exporters, resources, sdk } = await openTelemetry();
  const current = new AsyncLocalStorage<Span>();
  const exporter = warning(new exporters.OTLPTraceExporter({ url }), warn, current);
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({
      "service.name": "lossless",
      "service.version": manifest.version,
    }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(traceShare) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  });
  const propagator = new core.W3CTraceContextPropagator();
  return new Tracing({
    tracer: provider.getTracer("lossless"),
    current,
    contextOf: (headers) => propagator.extract(api.ROOT_CONTEXT, headers, api.defaultTextMapGetter),
    within: (span) => api.trace.setSpan(api.ROOT_CONTEXT, span),
    close: () =>
      withDeadline(
        closeDeadlineMs,
        () => provider.shutdown(),
        () => warn("the last traces could not be sent before the end"),
      ),
  });
}

/** Loads OpenTelemetry: 20 MB, so only where it is used. */
async function openTelemetry() {
  try {
    return {
      api: await import("@opentelemetry/api"),
      core: await import("@opentelemetry/core"),
      exporters: await import("@opentelemetry/exporter-trace-otlp-http"),
      resources: await import("@opentelemetry/resources"),
      sdk: await import("@opentelemetry/sdk-trace"),
    };
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_MODULE_NOT_FOUND") {
      throw error;
    }
    // The peers of a published package are for development in the clone.
    const { devDependencies, peerDependencies }: Peers = manifest;
    const peers = Object.entries(peerDependencies ?? devDependencies ?? {});
    const packages = peers.map(([name, version]) => `${name}@${version}`).join(" ");
    throw new ConfigError(
      `--traces needs OpenTelemetry, which is not installed. To install it: npm install --no-save ${packages}`,
    );
  }
}

interface Peers {
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/**
 * Reports lost spans and the reason, not for each batch. It sends outside of every span: the
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
