import path from "node:path";

/**
 * Resolves a path against the folder where the user ran npm, because npm runs certctl in the project's folder. Without
 * npm, resolves it against the working directory.
 */
export function givenPath(file: string): string {
  return path.resolve(process.env.INIT_CWD ?? ".", file);
}
