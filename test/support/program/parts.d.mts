export interface Part {
  /** Why a machine may lack it. */
  reason: string;
  isPresent(): boolean;
}
export const PARTS: Record<
  | "alertmanager"
  | "docker"
  | "generators"
  | "go"
  | "haproxy"
  | "history"
  | "kustomize"
  | "mounts"
  | "mypy"
  | "openssl"
  | "pgbouncer"
  | "pip"
  | "postgresql"
  | "promtool"
  | "pytest"
  | "python3"
  | "root"
  | "softhsm"
  | "vitest",
  Part
>;
export const DEBIAN_GO: string;
export const SOFTHSM: string | null;
export const POSTGRESQL: string | null;
export const DOCKER_IMAGES: readonly string[];
export function needs(part: string): string;
export function findProgram(name: string): string | null;
