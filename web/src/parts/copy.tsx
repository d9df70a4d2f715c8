import { useEffect, useState } from "preact/hooks";

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

/** False where the browser does not allow it, which it does with https or on this machine only. */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
