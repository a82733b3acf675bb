import { useEffect, useState } from "preact/hooks";

/** Width below which a row has no room for its columns; style/table.css has the same width. */
const NARROW = "(width <= 640px)";

/** Returns true where rows are shown as cards, and renders again where that changes. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const media = matchMedia(NARROW);
    const change = () => setNarrow(media.matches);
    change();
    media.addEventListener("change", change);
    return () => media.removeEventListener("change", change);
  }, []);
  return isNarrow;
}
