import { createContext } from "preact";
import { useContext } from "preact/hooks";

export interface Option {
  value: string;
  label: string;
}

/** Choices of filters: the chains, products and keys of this installation. */
export interface Installation {
  chains: readonly Option[];
  products: readonly Option[];
  keys: readonly Option[];
}

export const InstallationContext = createContext<Installation>({ chains: [], products: [], keys: [] });

export const useInstallation = (): Installation => useContext(InstallationContext);
