const portMax = 65_535;

/**
 * What is wrong with the port that an https:// URL names.
 *
 * @param url as it was written: the URL parser takes ports above 65535 for no URL, and does not say why
 * @returns what the URL names, as `port 0; ports go from 1 to 65535`, or undefined
 */
export function portProblem(url: string): string | undefined {
  const found = /^https:\/\/(?:[^/?#\\@]*@)?(?:\[[^\]]*\]|[^/?#\\[\]:@]*):(\d+)(?:[/?#\\]|$)/i.exec(url);
  if (found === null) return undefined;
  const port = Number(found[1]);
  return port >= 1 && port <= portMax ? undefined : `port ${port}; ports go from 1 to ${portMax}`;
}
