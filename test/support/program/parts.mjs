// Parts of a machine that some tests need and that not every machine has. Tests of them are declared with describeWhere
// (describe-where.ts); results.mjs accepts a skipped test only where its part is listed here and is absent.
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Returns the path of a program, or null where this machine has none. */
export function findProgram(name) {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"];
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

/** Base images of deploy/. They are pulled beforehand: tests fetch nothing but npm packages. */
export const DOCKER_IMAGES = ["node:24-bookworm-slim", "postgres:18", "haproxy:3.2"];

/** The newest of Debian's PostgreSQL from 15 on, its programs; null where there is none. */
export const POSTGRESQL =
  ["18", "17", "16", "15"]
    .map((version) => `/usr/lib/postgresql/${version}/bin`)
    .find((folder) => isExecutable(join(folder, "pg_dump")) && isExecutable(join(folder, "initdb"))) ?? null;

/** The PKCS#11 driver of SoftHSM; null where there is none. */
export const SOFTHSM =
  ["/usr/lib/softhsm", "/usr/lib/x86_64-linux-gnu/softhsm", "/usr/lib/aarch64-linux-gnu/softhsm"]
    .map((folder) => join(folder, "libsofthsm2.so"))
    .find(existsSync) ?? null;

/** Directory in which Debian's packages of Go libraries put their sources. */
export const DEBIAN_GO = "/usr/share/gocode";

/** Why a part may be absent, and whether it is there. */
export const PARTS = {
  alertmanager: {
    reason: "Alertmanager and amtool are Debian's package `prometheus-alertmanager`",
    isPresent: () =>
      findProgram("amtool") !== null &&
      (findProgram("prometheus-alertmanager") ?? findProgram("alertmanager")) !== null,
  },
  docker: {
    reason: `the image and the compose file need a Docker daemon, Compose, and the images ${DOCKER_IMAGES.join(", ")}`,
    isPresent: () =>
      [["info"], ["compose", "version"], ["image", "inspect", ...DOCKER_IMAGES]].every(
        (args) => spawnSync("docker", args, { stdio: "ignore" }).status === 0,
      ),
  },
  generators: {
    reason:
      "generated clients are compiled by `npm run test:long` alone, with a JDK and Debian's packages `golang-go` and `golang-golang-x-oauth2-dev`",
    isPresent: () =>
      process.env.TEST_LONG === "1" &&
      ["go", "java", "javac"].every((name) => findProgram(name) !== null) &&
      existsSync(`${DEBIAN_GO}/src/golang.org/x/oauth2`),
  },
  go: {
    reason: "the Go example is compiled by Go, Debian's package `golang-go`",
    isPresent: () => findProgram("go") !== null,
  },
  haproxy: {
    reason: "HAProxy, which the compose file has, is Debian's package `haproxy`",
    isPresent: () => findProgram("haproxy") !== null,
  },
  history: {
    reason:
      "the version before is built from the commit that prisma/released.json names, which a shallow clone lacks",
    isPresent: hasReleasedCommit,
  },
  kustomize: {
    reason:
      "kubectl 1.22 or later builds the manifests of Kubernetes; Debian's is older, and another's is no package of it",
    isPresent: hasKustomize,
  },
  mounts: {
    reason: "a small file system is mounted by root, where its container lets it",
    // Within a namespace of the process' own, so that nothing stays mounted.
    isPresent: () =>
      process.getuid?.() === 0 &&
      spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "ignore" })
        .status === 0,
  },
  mypy: {
    reason: "mypy checks the types of the Python client; it is Debian's package `mypy`",
    isPresent: () => findProgram("mypy") !== null,
  },
  openssl: {
    reason: "the shell example signs with openssl and sends with curl",
    isPresent: () => findProgram("openssl") !== null && findProgram("curl") !== null,
  },
  pgbouncer: {
    reason: "PgBouncer is Debian's package `pgbouncer`, which no npm package provides",
    isPresent: () => findProgram("pgbouncer") !== null,
  },
  pip: {
    reason: "pip, of Debian's package `python3-pip`, installs the Python client's wheel",
    isPresent: () => spawnSync("python3", ["-m", "pip", "--version"], { stdio: "ignore" }).status === 0,
  },
  postgresql: {
    reason:
      "pages are followed with pg_dump and a server of its version: Debian's packages `postgresql-15` and newer",
    isPresent: () => POSTGRESQL !== null,
  },
  promtool: {
    reason: "promtool checks the rules of alerts; it comes with Prometheus, Debian's package `prometheus`",
    isPresent: () => findProgram("promtool") !== null,
  },
  pytest: {
    reason: "the example of a partner's tests with pytest, Debian's package `python3-pytest`",
    isPresent: () => findProgram("pytest") !== null,
  },
  python3: {
    reason: "the Python client is for machines with Python 3.9 or newer",
    isPresent: () => findProgram("python3") !== null,
  },
  root: {
    reason: "the tests run as another user than root",
    isPresent: () => process.getuid?.() === 0,
  },
  softhsm: {
    reason:
      "keys in a device are those of SoftHSM, Debian's package `softhsm2`; the binding is compiled, with `build-essential` and `python3`",
    isPresent: () =>
      SOFTHSM !== null &&
      ["softhsm2-util", "cc", "c++", "make", "python3"].every((name) => findProgram(name)),
  },
  vitest: {
    reason:
      "`npm run test:long` alone installs Vitest from npm, for the example of a partner's tests with it",
    isPresent: () => process.env.TEST_LONG === "1",
  },
};

/** Returns the title of a block whose tests need a part of the machine. */
export const needs = (part) => `needs ${part}`;

function hasReleasedCommit() {
  const root = new URL("../../../", import.meta.url);
  const { commit } = JSON.parse(readFileSync(new URL("prisma/released.json", root), "utf8"));
  return (
    spawnSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: root, stdio: "ignore" }).status === 0
  );
}

/** Returns whether kubectl is there, and says which kustomize it has: the older ones, which do not, lack components. */
function hasKustomize() {
  if (findProgram("kubectl") === null) return false;
  const { stdout } = spawnSync("kubectl", ["version", "--client", "--output", "json"], { encoding: "utf8" });
  return /"kustomizeVersion": "v[4-9]/.test(stdout ?? "");
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
