const portMax = 65_535;

/**
 * Checks the port of an https:// URL.
 *
 * @param url the unparsed URL, because the URL parser rejects a port above 65535 without giving a reason
 * @returns the port and a remedy, such as `port 0; use a port from 1 to 65535`; undefined for a valid or missing port
 */
export function portProblem(url: string): string | undefined {
  const match = /^https:\/\/(?:[^/?#\\@]*@)?(?:\[[^\]]*\]|[^/?#\\[\]:@]*):(\d+)(?:[/?#\\]|$)/i.exec(url);
  if (match === null) return undefined;
  const port = Number(match[1]);
  return port >= 1 && port <= portMax ? undefined : `port ${port}; use a port from 1 to ${portMax}`;
}
