import { MongoClient, type MongoClientOptions, type MongoOptions } from "mongodb";
import { checkEach } from "#shared/config/check-together.ts";
import { invalidVariables } from "#shared/config/config-error.ts";
import { readNamedFile } from "#shared/config/named-file.ts";

/**
 * Client options that provide the registry's guarantees: acknowledged writes are journaled on a majority of the
 * members; reads return only majority-committed data.
 */
export const guarantees = {
  writeConcern: { w: "majority", journal: true, wtimeoutMS: 10_000 },
  readConcern: { level: "majority" },
} as const satisfies MongoClientOptions;

type CheckedOptions = Partial<
  Pick<
    MongoOptions,
    | "dbName"
    | "readConcern"
    | "readPreference"
    | "retryWrites"
    | "writeConcern"
    | "rejectUnauthorized"
    | "checkServerIdentity"
    | "tlsCAFile"
    | "tlsCertificateKeyFile"
  >
>;

/**
 * Checks that a connection string names the database and does not weaken the registry's guarantees or TLS, and that the
 * TLS files that it names can be read. Checks the options as the driver interprets them, because options have several
 * spellings, and some override {@link guarantees}.
 *
 * @param variable the environment variable that contains the connection string
 * @throws ConfigError with one clause for each fault, but without values, which may be secret; if there is no such
 * fault, a ConfigError that names each TLS file that cannot be read
 */
export function checkConnectionString(variable: string, uri: string): void {
  const own = parse(variable, uri, {});
  const effective = parse(variable, uri, guarantees);
  const problems = new Set([...problemsOf(own, uri), ...problemsOf(effective, uri)]);
  if (problems.size > 0) throw invalidVariables([...problems].map((problem) => `${variable} ${problem}`));
  // The driver would report a missing file as an unavailable server.
  checkEach(["tlsCAFile", "tlsCertificateKeyFile"] as const, (option) => {
    const file = own[option];
    if (file !== undefined) readNamedFile({ variable: `${variable} (${option})`, file });
  });
}

function parse(variable: string, uri: string, options: MongoClientOptions): CheckedOptions {
  try {
    // The client does not connect.
    return new MongoClient(uri, options).options;
  } catch (error) {
    // Other messages can contain the password.
    const isAboutNames = error instanceof Error && /^options? [\w, ]+ (is|are) not supported$/.test(error.message);
    const reason = isAboutNames ? ` (${error.message})` : "";
    throw invalidVariables([`${variable} is not a valid MongoDB connection string${reason}`]);
  }
}

function problemsOf(options: CheckedOptions, uri: string): string[] {
  const { writeConcern, readConcern, readPreference, retryWrites } = options;
  const problems: readonly (readonly [boolean, string])[] = [
    [
      (writeConcern?.w ?? "majority") !== "majority",
      "must not set w to a value other than majority, because an election could undo acknowledged changes",
    ],
    [writeConcern?.journal === false, "must not set journal to false, because a crash could lose acknowledged changes"],
    [
      (readConcern?.level ?? "majority") !== "majority",
      "must not set readConcernLevel to a value other than majority, because reads could return changes that an election undoes",
    ],
    [
      retryWrites === false,
      "must not set retryWrites to false, because writes in progress would fail at every election",
    ],
    [
      (readPreference?.mode ?? "primary") !== "primary",
      "must not set readPreference to a value other than primary, because secondaries can return stale data",
    ],
    [
      options.rejectUnauthorized === false || options.checkServerIdentity !== undefined,
      "must not set tlsInsecure, tlsAllowInvalidCertificates or tlsAllowInvalidHostnames, because the password could be sent to another server",
    ],
    [
      !namesDatabase(options, uri),
      "must include the name of the database after the hosts, as in mongodb://host/registry",
    ],
    [
      !/^[^/\\."$\s\0]{1,63}$/.test(options.dbName ?? "test"),
      `must name a database with at most 63 characters, without white space and without . / \\ " and $`,
    ],
  ];
  return problems.flatMap(([isFault, problem]) => (isFault ? [problem] : []));
}

// The driver uses the database `test` if the connection string names none.
function namesDatabase({ dbName }: CheckedOptions, uri: string): boolean {
  return dbName !== "test" || /^[^?]*\/test(\?|$)/.test(uri);
}
