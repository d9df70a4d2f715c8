import { Dialog } from "./dialog.tsx";

/** Keys and their effects. */
export type KeyList = readonly (readonly [keys: string, what: string])[];

/** Lists all keys of a page. */
export function KeyHelp({ keys, onClose }: { keys: KeyList; onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="key-list">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      {/* For people who press letters by accident. */}
      <p class="count">
        You can turn off single-letter shortcuts on <a href="/account">your account page</a>.
      </p>
    </Dialog>
  );
}
