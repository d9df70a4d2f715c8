import type { ReportBlock } from "@lossless/client";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Stands where a block was removed, with the focus that went with it. */
export function RemovedNote({
  kind,
  onRestore,
}: {
  kind: ReportBlock["kind"];
  onRestore: () => void;
}) {
  const back = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => back.current?.focus(), []);
  return (
    <p class="count">
      The {kind} block is removed.{" "}
      <button type="button" ref={back} onClick={onRestore}>
        Bring it back
      </button>
    </p>
  );
}
