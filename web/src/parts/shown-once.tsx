import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Copy } from "./copy.tsx";

interface Props {
  /** Name of the secret: "The link". */
  name: string;
  secret: string;
  /** Advice on keeping the secret. */
  hint: string;
  onClose: () => void;
}

/**
 * A secret that the service returns once. It is in this element only: not in the address, a title
 * or the browser's storage, and it is gone when the page is left.
 */
export function ShownOnce({ name, secret, hint, onClose }: Props) {
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => box.current?.focus(), [secret]);
  useEffect(() => {
    // A page kept for the back button would keep the secret.
    window.addEventListener("pagehide", onClose);
    return () => window.removeEventListener("pagehide", onClose);
  }, [onClose]);
  return (
    <section class="shown-once" aria-label={name} tabIndex={-1} ref={box}>
      <p>
        <strong>{name}</strong> is shown only once. {hint}
      </p>
      <p class="secret">
        <code>{secret}</code>
      </p>
      <p class="actions">
        <Copy text={secret} label="Copy" isSecret />
        <button type="button" onClick={onClose}>
          Done
        </button>
      </p>
    </section>
  );
}
