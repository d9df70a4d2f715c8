import type { ExperimentRecord } from "@lossless/client";
import { useEffect, useState } from "preact/hooks";
import { chosenColour, colourCount } from "../chart/lines/colours.ts";
import { Dialog } from "../parts/dialog.tsx";
import { useAct } from "../parts/use-act.ts";
import { messageOf } from "../parts/words.ts";
import { type MetasWritten, writeMetas } from "../parts/write-metas.ts";
import type { Service } from "../signed-in.ts";

interface Props {
  service: Service;
  experimentIds: readonly string[];
  onWritten: (written: MetasWritten) => void;
  onClose: () => void;
}

const colours = Array.from({ length: colourCount }, (_, at) => at + 1);

/**
 * Chooses a colour of some experiments: `_colour` of their metas, which all people see in tables,
 * charts and pictures. The colours are those of the theme, light or dark.
 */
export function ColoursDialog({ service, experimentIds, onWritten, onClose }: Props) {
  const [records, setRecords] = useState<readonly ExperimentRecord[]>();
  const [unread, setUnread] = useState<string>();
  const { isBusy, problem, act } = useAct();
  useEffect(() => {
    service.client.experiments(experimentIds).then(
      ({ experiments }) => setRecords(experiments),
      (error: unknown) => setUnread(messageOf(error)),
    );
  }, []);
  const { length } = experimentIds;
  const present = new Set(records?.map(({ meta }) => chosenColour(meta)));
  const isChosen = (colour: number | undefined) => present.size === 1 && present.has(colour);
  const choose = async (colour: number | undefined) => {
    if (records === undefined) return;
    const change = { key: "_colour", after: () => colour, noun: "colours" };
    await act(async () => onWritten(await writeMetas(service, records, change)));
  };
  const said = problem ?? unread;
  return (
    <Dialog title={length === 1 ? "Colour" : `Colour of ${length} experiments`} onClose={onClose}>
      <p class="hint">Everybody sees it in tables, charts and pictures.</p>
      {said !== undefined && <p role="alert">{said}</p>}
      <div class="colours" role="group" aria-label="Colours" aria-busy={isBusy}>
        {colours.map((colour) => (
          <button
            key={colour}
            type="button"
            class={`line-${colour - 1}`}
            aria-label={`colour ${colour}`}
            title={`colour ${colour}`}
            aria-pressed={isChosen(colour)}
            aria-disabled={records === undefined}
            onClick={() => void choose(colour)}
          >
            <i aria-hidden="true">●</i>
          </button>
        ))}
      </div>
      <p class="choices">
        <button
          type="button"
          aria-pressed={isChosen(undefined)}
          aria-disabled={records === undefined}
          onClick={() => void choose(undefined)}
        >
          automatic
        </button>
      </p>
    </Dialog>
  );
}
