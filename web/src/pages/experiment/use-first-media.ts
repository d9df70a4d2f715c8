import type { LoggedNamesReply } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import { useRef } from "preact/hooks";
import type { FirstItems } from "../../media/first-items.ts";
import { isOfItems } from "../../media/logged-series.ts";
import { loadSection } from "../../media/media-part.tsx";
import { firstVersion, type Logged, useLogged } from "../../media/use-logged.ts";
import { stepOf } from "../../media/use-media.ts";
import type { PageProps } from "../../page.ts";

/** Panels that are on the screen at once, at most. */
const firstPanels = 8;

export interface FirstMedia {
  logged: Logged | undefined;
  first: FirstItems | undefined;
}

/**
 * Reads what the panels of media begin with, beside the record and the script of the charts. Each
 * of these waits for the one before would be a round trip until the first picture.
 */
export function useFirstMedia(
  { service, location }: PageProps,
  experimentId: string,
  /** Undefined: the charts are not shown. */
  revision: number | undefined,
): FirstMedia {
  const first = useRef<FirstItems>(undefined);
  const experiments = revision === undefined ? [] : [{ experimentId, revision }];
  const begin = ({ series }: LoggedNamesReply) => {
    if (series.length === 0 || location.parameter("media") === "closed") return;
    // The part of the page says so if that fails.
    void loadSection().catch(() => undefined);
    const wanted = series.filter(isOfItems).slice(0, firstPanels);
    if (wanted.length === 0) return;
    const body = {
      experimentIds: [experimentId],
      series: wanted.map(({ kind, name }) => ({ kind, name })),
      step: stepOf(location) ?? limits.stepMax,
    };
    const reply = service.client.logged.nearest(body).catch(() => undefined);
    first.current = { body, version: String(firstVersion), reply };
  };
  const search = location.parameter("m") ?? "";
  const logged = useLogged(service, experiments, search, begin);
  return { logged, first: first.current };
}
