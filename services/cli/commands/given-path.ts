import path from "node:path";

/** Resolves a path from the command line against the user's folder: npm runs certctl in the project's folder instead. */
export function givenPath(file: string): string {
  return path.resolve(process.env.INIT_CWD ?? ".", file);
}
