import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The images, one per service and one for certctl, each with its folder in services/. */
export const imageFolders = { edge: "edge", registry: "registry", notifier: "notifier", certctl: "cli" } as const;

// Imports and re-exports except `import type` and `export type`, which Node removes. The formatter keeps the clause
// before `from` free of semicolons.
const statements = /^\s*(?:import|export)\s+(?!type\s)(?:[^;'"]*?\sfrom\s+)?["']([^"']+)["']/gm;
// Modules that are loaded on demand, and files of packages that are read rather than imported.
const expressions = /(?:\bimport|\bcreateRequire\([^)]*\)\.resolve)\(\s*["'`]([^"'`$]+)/g;
// Programs that run in a child process.
const programs = /\bnew URL\("(\.[^"]+\.ts)", import\.meta\.url\)/g;

/** What a program imports or reads at run time, directly or through other modules. */
interface Imports {
  /** npm packages, sorted by name. */
  readonly packages: readonly string[];
  /** Modules of this repository, as paths relative to it. */
  readonly modules: readonly string[];
}

/** Returns the npm packages that a program needs. @param main as for {@link runtimeImports} */
export function runtimePackages(main: string): readonly string[] {
  return runtimeImports(main).packages;
}

/**
 * Follows the imports of a program.
 *
 * @param main path of the program, relative to the repository
 * @throws Error when an imported module of the repository does not exist
 */
export function runtimeImports(main: string): Imports {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const specifier of specifiersOf(readFileSync(file, "utf8"))) {
      const module = moduleOf(specifier, file);
      if (module !== undefined) visit(module);
      else if (!isBuiltin(specifier)) packages.add(packageOf(specifier));
    }
  };
  visit(join(root, main));
  return { packages: [...packages].sort(), modules: [...seen].map((file) => relative(root, file)) };
}

function specifiersOf(source: string): readonly string[] {
  return [statements, expressions, programs].flatMap((pattern) =>
    [...source.matchAll(pattern)].map(([, name = ""]) => name),
  );
}

/** Returns the path of an imported module of this repository; undefined for packages and built-in modules. */
function moduleOf(specifier: string, importer: string): string | undefined {
  if (specifier.startsWith(".")) return resolve(dirname(importer), specifier);
  if (specifier.startsWith("#shared/")) return join(root, "services/shared", relative("#shared", specifier));
  if (specifier.startsWith("#gen/")) return join(root, "proto/gen", relative("#gen", specifier));
  return undefined;
}

/** `@scope/name/file` → `@scope/name` */
function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
