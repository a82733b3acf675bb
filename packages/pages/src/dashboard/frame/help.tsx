import { useLayoutEffect, useRef } from "preact/hooks";
import { VIEWS } from "./views.ts";

const KEYS: readonly (readonly [keys: readonly string[], text: string])[] = [
  [["/"], "Search"],
  [["j"], "Next row"],
  [["k"], "Row before"],
  [["Enter"], "Open the row"],
  [["Esc"], "Close, or leave the field"],
  [["?"], "These keys"],
  ...VIEWS.map(({ key, title }) => [["g", key], title] as const),
];

/** Shows the keys. Escape closes it, and the browser restores the focus. */
export function Help({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        {KEYS.map(([keys, text]) => (
          <div key={text}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}
