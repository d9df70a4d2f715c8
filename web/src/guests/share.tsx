import { useState } from "preact/hooks";
import { Loaded } from "../parts/loaded.tsx";
import { mayWrite } from "../rights.ts";
import type { Service } from "../signed-in.ts";

interface Props {
  service: Service;
  what: string;
  shown: { experimentIds: string[] } | { reportId: string };
}

/** A button that makes a guest link; nothing for those who may make none. */
export function Share({ service, what, shown }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  if (!mayWrite(service)) return null;
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        guest link…
      </button>
      {isOpen && (
        <Loaded load={load} props={{ service, what, shown, onClose: () => setIsOpen(false) }} />
      )}
    </>
  );
}

const load = () => import("./share-dialog.tsx").then(({ ShareDialog }) => ShareDialog);
