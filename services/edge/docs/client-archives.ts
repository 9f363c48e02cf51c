import { readdirSync, readFileSync } from "node:fs";
import { productVersion } from "#shared/lifecycle/product-version.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";
import { binaryRendition, immutable, sendFixed } from "../http/rendition.ts";
import type { Route } from "../http/route.ts";

const folder = new URL("client/", import.meta.url);

// The archives for npm, and the wheels and source archives of the Python library.
const archive = /^(client-[\w.-]+\.tgz|certificate_registry_client-[\w.-]+\.(whl|tar\.gz))$/;

/** Returns the file names of the client libraries' archives: every release, and those of a development version. */
function archiveNames(): readonly string[] {
  return readdirSync(folder).filter((name) => archive.test(name));
}

/** Returns the file name of the archive that the guide installs: that of the version that runs. */
export function newestArchive(): string {
  const own = archiveNames().filter((name) => name.startsWith(`client-${productVersion}-dev.`));
  return own[0] ?? `client-${productVersion}.tgz`;
}

/**
 * Returns the file name of the Python library's wheel that the guide installs: that of the version that runs. Undefined
 * if it was not built: of a version that is not released, `npm start` and the images have only the library for npm.
 */
export function newestWheel(): string | undefined {
  const start = `certificate_registry_client-${productVersion}`;
  const wheels = archiveNames().filter((name) => name.endsWith(".whl"));
  const own = wheels.find((name) => name.startsWith(`${start}.dev`));
  return own ?? wheels.find((name) => name === `${start}-py3-none-any.whl`);
}

/**
 * Builds the routes of the client libraries' archives, which deploy/client-package writes. Package managers lock the
 * address that was asked for and the hash of what it sent, so each version has an address whose content never changes,
 * and an address without a version has none: it answers 410 and names the others.
 */
export function clientArchives(): Route[] {
  const names = archiveNames();
  return [
    ...names.map((name) => {
      const type = name.endsWith(".whl") ? "application/zip" : "application/gzip";
      const content = binaryRendition(type, readFileSync(new URL(name, folder)));
      return { path: `/docs/${name}`, get: [sendFixed(content, immutable)] };
    }),
    { path: "/docs/client.tgz", get: [nameArchives(names)] },
  ];
}

function nameArchives(names: readonly string[]): EdgeMiddleware {
  const list = names.map((name) => `/docs/${name}\n`).join("");
  return (ctx) => {
    ctx.status = 410;
    ctx.type = "text/plain; charset=utf-8";
    ctx.body = `The client libraries have an address for each version, so that lock files stay valid:\n${list}`;
  };
}
