// `npm pack` in packages/client runs this first.
import * as service from "../../build.mjs";
import { buildLibrary } from "./build.mjs";

await buildLibrary(service);
