import { useEffect, useState } from "preact/hooks";
import { parseRoute, type Route } from "./route.ts";

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const change = () => setHash(location.hash);
    addEventListener("hashchange", change);
    return () => removeEventListener("hashchange", change);
  }, []);
  return parseRoute(hash);
}

export function navigate(href: string): void {
  location.hash = href;
}
