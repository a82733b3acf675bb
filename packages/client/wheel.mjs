// Makes the Python client's wheel: a zip file with metadata (the binary distribution format of Python packages). Its one module is a
// package there, because only a package can say that it has types.
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

const PACKAGE = "partner_trading";

/**
 * Returns a wheel, the same bytes for the same input.
 * @param parts its version, and the texts of module, README and licence
 */
export function makeWheel({ version, module, readme, licence }) {
  const info = `${PACKAGE}-${version}.dist-info`;
  const files = [
    [`${PACKAGE}/__init__.py`, module],
    [`${PACKAGE}/py.typed`, ""],
    [`${info}/METADATA`, metadata(version, readme)],
    [
      `${info}/WHEEL`,
      "Wheel-Version: 1.0\nGenerator: partner-trading\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    ],
    [`${info}/LICENSE`, licence],
  ].map(([name, text]) => [name, Buffer.from(text)]);
  const lines = files.map(([name, content]) => {
    const hash = createHash("sha256").update(content).digest("base64url");
    return `${name},sha256=${hash},${content.length}\n`;
  });
  const record = `${info}/RECORD`;
  return zip([...files, [record, Buffer.from(`${lines.join("")}${record},,\n`)]]);
}

const metadata = (version, readme) => `Metadata-Version: 2.1
Name: partner-trading
Version: ${version}
Summary: Client of the partner API for trading tokenized stocks on EVM chains
License: MIT
License-File: LICENSE
Classifier: License :: OSI Approved :: MIT License
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Requires-Python: >=3.9
Description-Content-Type: text/markdown

${readme}`;

/** 1980-01-01, the first date of the format: a build leaves no trace of its time. */
const DOS_DATE = 0x21;
const VERSION = 20;
/** Regular file, readable by all: 0o100644 in the upper half. */
const MODE = (0o100644 << 16) >>> 0;

/** Returns a zip file without compression. */
function zip(files) {
  const bodies = [];
  const directory = [];
  let offset = 0;
  for (const [name, content] of files) {
    const common = [
      [2, VERSION],
      [2, 0],
      [2, 0],
      [2, 0],
      [2, DOS_DATE],
      [4, crc32(content)],
      [4, content.length],
      [4, content.length],
      [2, Buffer.byteLength(name)],
      [2, 0],
    ];
    const body = [record(0x04034b50, common), Buffer.from(name), content];
    const more = [
      [2, 0],
      [2, 0],
      [2, 0],
      [4, MODE],
      [4, offset],
    ];
    directory.push(record(0x02014b50, [[2, (3 << 8) | VERSION], ...common, ...more]), Buffer.from(name));
    bodies.push(...body);
    offset += body.reduce((sum, { length }) => sum + length, 0);
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = [
    [2, 0],
    [2, 0],
    [2, files.length],
    [2, files.length],
    [4, size],
    [4, offset],
    [2, 0],
  ];
  return Buffer.concat([...bodies, ...directory, record(0x06054b50, end)]);
}

/** Returns a record of the format: its signature and its fields, each with its size in bytes. */
function record(signature, fields) {
  const parts = [[4, signature], ...fields].map(([size, value]) => {
    const part = Buffer.alloc(size);
    part.writeUIntLE(value, 0, size);
    return part;
  });
  return Buffer.concat(parts);
}
