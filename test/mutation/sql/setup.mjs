// A mutant may make tests hang: they end soon. A counterexample need not be the smallest.
import { jest } from "@jest/globals";
import fc from "fast-check";

jest.setTimeout(60_000);
fc.configureGlobal({ endOnFailure: true });
