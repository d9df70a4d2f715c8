import type { EditReply } from "@lossless/client";
import type { TableRow } from "@lossless/protocol";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { messageOf } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";

interface Props {
  service: Service;
  row: TableRow;
  /** Receives a sentence, and the reply if the name was changed. */
  onDone: (words: string | undefined, reply?: EditReply) => void;
}

/**
 * The name of a row, being changed: `_name` of its meta, without which the slug is shown. Enter or
 * leaving the field saves; Escape does not. A name that was changed meanwhile is not replaced.
 */
export function RenameField({ service: { client }, row, onDone }: Props) {
  const { experimentId, slug } = row;
  const shown = row.name ?? slug;
  const input = useRef<HTMLInputElement>(null);
  const isOver = useRef(false);
  const before = useMemo(
    () => client.experiment({ experimentId }).then(({ meta }) => meta._name),
    [],
  );
  useLayoutEffect(() => {
    before.catch(() => undefined);
    input.current!.focus();
    input.current!.select();
  }, []);
  const done = async (isSaved: boolean) => {
    if (isOver.current) return;
    isOver.current = true;
    const name = input.current!.value.trim();
    if (!isSaved || name === shown) return onDone(undefined);
    try {
      const former = await before;
      const isOther = typeof former === "string" && row.name !== null && former !== row.name;
      if (isOther) throw new Error(`somebody has just renamed it to ${former}.`);
      const values = {
        ...(former !== undefined && { before: former }),
        ...(name !== "" && { after: name }),
      };
      const edit = { experimentId, meta: [{ path: ["_name"], ...values }] };
      const reply = await client.editExperiment(edit);
      onDone(
        name === ""
          ? `The name was removed. The table shows ${slug}.`
          : `${slug} is now called ${name}.`,
        reply,
      );
    } catch (error) {
      onDone(`${shown} was not renamed: ${messageOf(error)}`);
    }
  };
  return (
    <input
      class="rename"
      ref={input}
      aria-label={`Name of ${slug}`}
      placeholder={slug}
      defaultValue={shown}
      maxLength={256}
      autocomplete="off"
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") void done(true);
        else if (event.key === "Escape") void done(false);
      }}
      onBlur={() => void done(true)}
    />
  );
}
