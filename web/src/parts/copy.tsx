import { useEffect, useState } from "preact/hooks";
import type { PageLocation } from "../location.ts";
import { serviceUrl } from "../base-path.ts";

/** Milliseconds for which success is shown, since copying has no visible effect. */
const saidForMs = 2_000;

interface Props {
  text: string;
  label: string;
  /** A fuller name, where the label alone does not say what is copied. */
  name?: string;
  /** Keeps the text out of the button's title. */
  isSecret?: boolean;
}

/** A button that copies a text to the clipboard. */
export function Copy({ text, label, name, isSecret = false }: Props) {
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
      aria-label={said === undefined ? name : undefined}
      title={isSecret ? undefined : text}
      onClick={() => void copy()}
    >
      <span aria-live="polite">{said ?? label}</span>
    </button>
  );
}

/** Copies the address with the state of the page: any reader of it sees the same. */
export function CopyLink({ location }: { location: PageLocation }) {
  return <Copy text={serviceUrl() + location.link} label="copy link" />;
}

/** Copies a text; false where the browser does not allow it. */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedByEvent(text);
  }
}

/** The only clipboard of pages that came over plain HTTP from another machine. */
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
