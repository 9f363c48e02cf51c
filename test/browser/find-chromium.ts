import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import chromium, { inflate } from "@sparticuz/chromium";
import which from "which";
import { z } from "zod";
import { type CacheEntry, installIntoCache } from "../../deploy/local/servers/install-into-cache.ts";

const installed = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const complete = "complete";

/** Finds Chromium: the program at CHROMIUM_PATH, else an installed one, else the one in an npm package. */
export async function findChromium() {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined && named !== "") return { executablePath: named, env: {} };
  for (const program of installed) {
    const executablePath = await which(program, { nothrow: true });
    if (executablePath !== null) return { executablePath, env: {} };
  }
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  const folder = await installIntoCache(entry, { env: process.env, log, signal: undefined });
  const env = {
    LD_LIBRARY_PATH: join(folder, "al2023", "lib"),
    ...(existsSync("/etc/fonts") ? {} : { FONTCONFIG_PATH: join(folder, "fonts") }),
  };
  return { executablePath: join(folder, "chromium"), env };
}

const packageFile = (file: string) => new URL(`../${file}`, import.meta.resolve("@sparticuz/chromium"));
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(packageFile("package.json"), "utf8")));

/** Chromium with the libraries that a minimal machine lacks, unpacked from the npm package. */
const entry: CacheEntry = {
  name: `chromium-${version}`,
  isComplete: async (folder) => existsSync(join(folder, complete)),
  install: async (folder) => {
    // The package unpacks into the folder for temporary files.
    const { TMPDIR } = process.env;
    process.env.TMPDIR = folder;
    try {
      await chromium.executablePath();
      await inflate(fileURLToPath(packageFile("bin/al2023.tar.br")));
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    }
    await writeFile(join(folder, complete), "");
  },
};
