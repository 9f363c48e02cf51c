const pathCharactersMax = 100;

/**
 * A path as logs may show it. Paths of ours have only these characters; what follows any other one, or is longer, is
 * left out, and so is what looks like an API key: people do put keys and e-mail addresses into paths.
 */
export function redactPath(path: string): string {
  const harmless = /^[\w/.-]*/.exec(path)?.[0].slice(0, pathCharactersMax) ?? "";
  const cut = harmless.length < path.length ? `${harmless}…` : harmless;
  return cut.replace(/crk_\w*/gi, "crk_…");
}
