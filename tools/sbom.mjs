// dist/sbom.json: the npm packages whose code is in a build, as CycloneDX 1.6. build.mjs writes it.
const PLACE = /(?<=^|[:/])node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/;
const ALGORITHMS = { sha1: "SHA-1", sha256: "SHA-256", sha384: "SHA-384", sha512: "SHA-512" };

/**
 * Returns the bill of materials of bundles. It has no time and no serial number: the same build has the same one.
 * @param metafiles those of esbuild
 * @param entryPoints those of all bundles, as esbuild takes them
 * @param manifest package.json
 * @param lock the packages of a lock file, by their paths
 */
export function makeSbom(metafiles, entryPoints, { name, version, license }, lock) {
  const components = new Map();
  for (const place of placesIn(metafiles, entryPoints, lock)) {
    const component = componentOf(place, lock);
    const known = components.get(component.purl);
    if (known) known.properties.push(...component.properties);
    else components.set(component.purl, component);
  }
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      lifecycles: [{ phase: "build" }],
      component: { type: "application", ...identityOf(name, version), licenses: licensesOf(license) },
    },
    components: [...components.values()],
  };
}

/** Returns the places of the packages in the bundles, as a lock file names them. */
function placesIn(metafiles, entryPoints, lock) {
  const outputs = metafiles.flatMap((metafile) => Object.values(metafile.outputs));
  const bundled = outputs.flatMap(({ inputs }) => Object.keys(inputs)).flatMap(placeOf);
  // A package's file that is an entry point is already a bundle of that package's dependencies: no bundler sees its content.
  const places = entryPoints.map((entry) => entry.in ?? entry).flatMap(placeOf);
  const closures = places.flatMap((place) => [...closureOf(lock, place)]);
  return [...new Set([...bundled, ...closures])].sort();
}

/** A namespace or a path from another root may come before the place. */
const placeOf = (path) => PLACE.exec(path)?.[0] ?? [];

/** Returns a package and all of its dependencies. */
function closureOf(lock, place, known = new Set()) {
  if (known.has(place)) return known;
  known.add(place);
  for (const name of Object.keys(lock[place]?.dependencies ?? {})) {
    const found = resolve(lock, place, name);
    if (found === null) throw new Error(`the lock file does not have ${name}, on which ${place} depends`);
    closureOf(lock, found, known);
  }
  return known;
}

/** Returns the place where a package finds another one: in its own node_modules, or in those around it. */
function resolve(lock, from, name) {
  const place = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
  if (lock[place]) return place;
  if (from === "") return null;
  return resolve(lock, from.slice(0, Math.max(0, from.lastIndexOf("node_modules/") - 1)), name);
}

function componentOf(place, lock) {
  const found = lock[place];
  if (!found) throw new Error(`the lock file does not have ${place}, which a bundle contains`);
  const { version, license, integrity, name = place.split("node_modules/").at(-1) } = found;
  return {
    type: "library",
    ...identityOf(name, version),
    ...(license ? { licenses: licensesOf(license) } : {}),
    ...(integrity ? { hashes: hashesOf(integrity) } : {}),
    properties: [{ name: "cdx:npm:package:path", value: place }],
  };
}

function identityOf(fullName, version) {
  const [, group, name] = /^(?:(@[^/]+)\/)?(.+)$/.exec(fullName);
  const purl = `pkg:npm/${fullName.split("/").map(encodeURIComponent).join("/")}@${encodeURIComponent(version)}`;
  return { "bom-ref": purl, ...(group ? { group } : {}), name, version, purl };
}

/** Returns an SPDX identifier as what it is, and anything longer as an expression. */
const licensesOf = (license) =>
  /^[\w.+-]+$/.test(license) ? [{ license: { id: license } }] : [{ expression: license }];

const hashesOf = (integrity) =>
  integrity.split(" ").map((hash) => {
    const [algorithm, content] = hash.split(/-(.*)/);
    return { alg: ALGORITHMS[algorithm], content: Buffer.from(content, "base64").toString("hex") };
  });
