import { useEffect, useState } from "preact/hooks";
import type { PageLocation } from "../location.ts";
import { serviceUrl } from "../base-path.ts";

/** It says that it did, since nothing else is seen of it. */
const saidForMs = 2_000;

interface Props {
  text: string;
  label: string;
  /** Then the text is not the button's title, too. */
  isSecret?: boolean;
}

/** A button that puts a text into the clipboard. */
export function Copy({ text, label, isSecret = false }: Props) {
  const [said, setSaid] = useState<string>();
  useEffect(() => {
    if (said === undefined) return;
    const timer = setTimeout(() => setSaid(undefined), saidForMs);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => setSaid((await copied(text)) ? "copied" : "could not copy");
  return (
    <button
      type="button"
      class="copy"
      title={isSecret ? undefined : text}
      onClick={() => void copy()}
    >
      <span aria-live="polite">{said ?? label}</span>
    </button>
  );
}

/** Copies the address, which is the state of every page: whoever opens it sees the same. */
export function CopyLink({ location }: { location: PageLocation }) {
  return <Copy text={serviceUrl() + location.address} label="copy link" />;
}

/** False where the browser does not allow it. */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedByEvent(text);
  }
}

/** Pages that came over plain HTTP from another machine have no clipboard but this one. */
function copiedByEvent(text: string): boolean {
  let isGiven = false;
  const give = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
    isGiven = true;
  };
  document.addEventListener("copy", give, { once: true });
  document.execCommand("copy");
  document.removeEventListener("copy", give);
  return isGiven;
}
