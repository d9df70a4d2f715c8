import type { MediaBlock } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { useMemo } from "preact/hooks";
import { FileQueue } from "../../media/file-queue.ts";
import { Item } from "../../media/items/item.tsx";
import { FilesContext } from "../../media/use-file.ts";
import { useRead } from "../../parts/use-read.ts";
import { countText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import { useCompared } from "../compare/use-compared.ts";

interface Props {
  service: Service;
  block: MediaBlock;
}

/** Pictures, tables and the like that experiments have logged, at one step. */
export function ReportMedia({ service, block }: Props) {
  const { experimentIds, media, name, step, title } = block;
  const files = useMemo(() => ({ service, queue: new FileQueue() }), [service]);
  const series = [{ kind: media, name }];
  const isChosen = experimentIds.length > 0 && name !== "";
  const { found, problem } = useRead(
    async (stopped) => {
      if (!isChosen) return undefined;
      const body = { experimentIds, series, step: step ?? limits.stepMax };
      return service.client.logged.nearest(body, stopped);
    },
    [experimentIds, media, name, step],
  );
  const ids = experimentIds.length === 0 ? [""] : experimentIds;
  const asked = { kind: "ids" as const, ids };
  const { compared } = useCompared(service, { asked, hidden: new Set(), reference: undefined });
  const items = found?.items ?? [];
  const isWaiting = isChosen && found === undefined && problem === undefined;
  return (
    <FilesContext.Provider value={files}>
      <div class="report-media" data-waiting={isWaiting ? "" : undefined}>
        <h3>{title || name || "media"}</h3>
        {problem !== undefined && <p role="alert">{problem}</p>}
        {!isChosen && <p>Choose experiments and what they logged.</p>}
        {isChosen && found !== undefined && items.length === 0 && (
          <p>The experiments have logged nothing under this name.</p>
        )}
        <div class="runs">
          {experimentIds.map((id) => {
            const own = items.filter(({ experimentId }) => experimentId === id);
            const run = compared?.experiments.find(({ experimentId }) => experimentId === id);
            return (
              own.length > 0 && (
                <section key={id}>
                  <p class="below">
                    <a href={`/experiments/${id}`}>{run?.name ?? run?.slug ?? "an experiment"}</a>,
                    step {countText(own[0].step)}
                  </p>
                  {own.map((item, at) => (
                    <Item key={at} series={series[0]} item={item} of={own.length} />
                  ))}
                </section>
              )
            );
          })}
        </div>
      </div>
    </FilesContext.Provider>
  );
}
