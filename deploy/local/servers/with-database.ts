/**
 * Replaces the database in a connection string; users still authenticate against the original database. Adds no
 * `authSource` to a `mongodb+srv` string, in which it would override the one of the DNS record (TXT).
 *
 * @throws Error if the string is not a MongoDB connection string
 */
export function withDatabase(serverUrl: string, name: string): string {
  const { hosts, database, query } = partsOf(serverUrl);
  const parameters = new URLSearchParams(query);
  if (hosts.includes("@") && !hosts.startsWith("mongodb+srv:") && !parameters.has("authSource"))
    parameters.set("authSource", database || "admin");
  const rest = parameters.toString();
  return `${hosts}/${name}${rest === "" ? "" : `?${rest}`}`;
}

/** Returns a connection string as it is if it names a database, or else with this database. */
export function withDefaultDatabase(serverUrl: string, name: string): string {
  return partsOf(serverUrl).database === "" ? withDatabase(serverUrl, name) : serverUrl;
}

// Not the class URL, which accepts only one host.
function partsOf(serverUrl: string) {
  const parts = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/.exec(serverUrl);
  if (parts === null) throw new Error("not a MongoDB connection string");
  const [, hosts = "", database = "", query = ""] = parts;
  return { hosts, database, query };
}
