import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "@jest/globals";
import { ROOT } from "../../src/config/root.ts";
import { installOnce, run } from "../installed.mjs";
import { describeWhere } from "../support/program/describe-where.ts";
import { DEBIAN_GO } from "../support/program/parts.mjs";

/** Clients that OpenAPI Generator makes of docs/openapi-3.0.json compile. The versions are the last that ship their jar. */
const VERSIONS = { go: "1.0.18-4.3.1", java: "1.0.18-5.0.0-beta2" };
const folder = mkdtempSync(join(tmpdir(), "generated-clients-"));
afterAll(() => rmSync(folder, { recursive: true }));

const jarOf = (version: string): string =>
  join(installOnce("@openapitools/openapi-generator-cli", version), "bin/openapi-generator.jar");

function generate(jar: string, generator: string, ...options: readonly string[]): string {
  const output = join(folder, generator);
  const document = `${ROOT}docs/openapi-3.0.json`;
  const args = ["-jar", jar, "generate", "-i", document, "-g", generator, "-o", output, ...options];
  run("java", args, { stdio: "pipe" });
  return output;
}

function filesIn(directory: string, ending: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(ending)).map((name) => join(directory, name));
}

describeWhere("generators", "a client that is generated from docs/openapi-3.0.json", () => {
  it("compiles in Go", () => {
    // The generator that became `go` in version 5.
    const output = generate(
      jarOf(VERSIONS.go),
      "go-experimental",
      "--additional-properties=enumClassPrefix=true",
    );
    const sources = join(folder, "gopath/src/openapi");
    mkdirSync(sources, { recursive: true });
    for (const name of readdirSync(output))
      if (name.endsWith(".go")) cpSync(join(output, name), join(sources, name));
    expect(filesIn(sources, ".go").length).toBeGreaterThan(150);
    const env = { ...process.env, GO111MODULE: "off", GOPATH: `${join(folder, "gopath")}:${DEBIAN_GO}` };
    run("go", ["vet", "."], { cwd: sources, env, stdio: "pipe" });
  }, 600_000);

  it("compiles in Java", () => {
    const jar = jarOf(VERSIONS.java);
    const output = generate(jar, "java", "--library=native", "--additional-properties=openApiNullable=false");
    const sources = filesIn(join(output, "src/main"), ".java");
    expect(sources.length).toBeGreaterThan(150);
    // The generator's jar has the libraries that the client uses.
    run("javac", ["-nowarn", "-proc:none", "-d", join(folder, "classes"), "-cp", jar, ...sources], {
      stdio: "pipe",
    });
  }, 600_000);
});
