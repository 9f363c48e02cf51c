const pathCharactersMax = 100;

/**
 * Redacts a path for the log: clients sometimes put keys and e-mail addresses into paths. Truncates the path at the
 * first character that no route of this service contains, or at 100 characters, and replaces anything that looks like
 * an API key.
 */
export function redactPath(path: string): string {
  const safe = /^[\w/.-]*/.exec(path)?.[0].slice(0, pathCharactersMax) ?? "";
  const truncated = safe.length < path.length ? `${safe}…` : safe;
  return truncated.replace(/crk_\w*/gi, "crk_…");
}
