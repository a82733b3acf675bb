import type { KeyScope } from "../../../../src/auth/scope.ts";
import type { Access } from "../../../../src/protocol/enums.ts";

// Options of the commands of keys, as typed.

export interface CreateOptions {
  name: string;
  access: Access;
  chainId?: number;
  product?: string;
  scope: KeyScope[];
  ip: string[];
  userAddress?: string;
  expires?: Date;
  dailyNotional?: bigint | "none";
  json?: boolean;
}

export interface UpdateOptions {
  addIp: string[];
  removeIp: string[];
  expires?: Date | "never";
  json?: boolean;
}

export interface RotateOptions {
  /** Seconds. */
  overlap: number;
  finish?: boolean;
  replace?: boolean;
  json?: boolean;
  yes?: boolean;
}
