import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Span } from "@opentelemetry/api";

interface RequestNotice {
  request: ClientRequest;
  response?: IncomingMessage;
  error?: Error;
}

const failed = 2; // SpanStatusCode.ERROR

/**
 * Makes spans of the HTTP requests of this thread: to buckets, to clouds and to identity providers,
 * by any SDK, since Node itself reports when one is sent and answered. `begin` returns a span, or
 * none where the caller is not traced.
 */
export function traceOutgoing(begin: (request: ClientRequest) => Span | undefined): () => void {
  const spans = new WeakMap<ClientRequest, Span>();
  const listeners = {
    "http.client.request.start": ({ request }: RequestNotice) => {
      const span = begin(request);
      if (span !== undefined) spans.set(request, span);
    },
    "http.client.response.finish": ({ request, response }: RequestNotice) => {
      const status = response?.statusCode ?? 0;
      end(request, { "http.response.status_code": status }, status >= 400 ? String(status) : null);
    },
    "http.client.request.error": ({ request, error }: RequestNotice) => {
      const { code } = (error ?? {}) as NodeJS.ErrnoException;
      end(request, {}, code ?? error?.name ?? "unknown");
    },
  };
  const end = (
    request: ClientRequest,
    attributes: Record<string, number>,
    errorType: string | null,
  ): void => {
    const span = spans.get(request);
    if (span === undefined) return;
    spans.delete(request);
    span.setAttributes(attributes);
    if (errorType !== null) span.setStatus({ code: failed }).setAttribute("error.type", errorType);
    span.end();
  };
  const each = Object.entries(listeners).map(
    ([name, listener]) => [name, (told: unknown) => listener(told as RequestNotice)] as const,
  );
  for (const [name, listener] of each) subscribe(name, listener);
  return () => {
    for (const [name, listener] of each) unsubscribe(name, listener);
  };
}
