import { queryText } from "@lossless/protocol/query-text";
import { useLayoutEffect, useState } from "preact/hooks";
import type { PageProps } from "../page.ts";
import { messageOf } from "../parts/words.ts";

/** `/go?slug=`: redirects to the experiment with this slug, with the other parameters. */
export function SlugPage({ service, location }: PageProps) {
  const slug = location.parameter("slug") ?? "";
  const [problem, setProblem] = useState<string>();
  // A layout effect: it stops at once when the reader goes back.
  useLayoutEffect(() => {
    const stopped = new AbortController();
    const go = async () => {
      const query = queryText({
        kind: "compare",
        field: { kind: "own", name: "slug" },
        operator: "=",
        value: { kind: "text", text: slug },
      });
      const { rows } = await service.client.views.experiments({ query, limit: 1 }, stopped.signal);
      if (stopped.signal.aborted) return;
      if (rows.length === 0) {
        setProblem(`This organization has no experiment with the slug “${slug}”.`);
        return;
      }
      const rest = new URLSearchParams(window.location.search);
      rest.delete("slug");
      const address = `/experiments/${encodeURIComponent(rows[0].experimentId)}`;
      location.replace(rest.size === 0 ? address : `${address}?${rest.toString()}`);
    };
    go().catch((error: unknown) => {
      if (!stopped.signal.aborted) setProblem(messageOf(error));
    });
    return () => stopped.abort();
  }, [slug]);
  return <p class="waiting">{problem ?? "Loading the experiment …"}</p>;
}
