import { MongoClient } from "mongodb";
import { describe, expect, test } from "vitest";
import { ConfigError } from "#shared/config/config-error.ts";
import { checkConnectionString, guarantees } from "./connection-string.ts";

const check = (uri: string) => () => checkConnectionString("REGISTRY_MONGODB_URI", uri);

describe("checkConnectionString", () => {
  test.each([
    "mongodb://127.0.0.1/registry",
    "mongodb://user:secret@a:27017,b:27017/registry?replicaSet=rs0&authSource=admin&tls=true",
    "mongodb+srv://user:secret@cluster.example.test/registry?retryWrites=true&w=majority&appName=registry",
    "mongodb://a/registry?journal=true&readConcernLevel=majority&readPreference=primary",
    "mongodb://a/test",
    "mongodb://a/?dbName=registry",
  ])("accepts %s, whose effective options keep the guarantees", (uri) => {
    expect(check(uri)).not.toThrow();
    const { writeConcern, readConcern, retryWrites, readPreference } = new MongoClient(uri, guarantees).options;
    expect(writeConcern).toMatchObject({ w: "majority", journal: true });
    expect([readConcern.level, readPreference.mode, retryWrites]).toEqual(["majority", "primary", true]);
  });

  test.each([
    ["journal=false", "must not set journal to false, because a crash could lose acknowledged changes"],
    ["j=false", "must not set journal to false, because a crash could lose acknowledged changes"],
    ["w=1", "must not set w to a value other than majority, because an election could undo acknowledged changes"],
    ["w=0", "must not set w to a value other than majority, because an election could undo acknowledged changes"],
    [
      "readConcernLevel=local",
      "must not set readConcernLevel to a value other than majority, because reads could return changes that an election undoes",
    ],
    ["retryWrites=false", "must not set retryWrites to false, because writes in progress would fail at every election"],
    [
      "readPreference=secondaryPreferred",
      "must not set readPreference to a value other than primary, because secondaries can return stale data",
    ],
    ...["tlsInsecure", "tlsAllowInvalidCertificates", "tlsAllowInvalidHostnames"].map((option) => [
      `tls=true&${option}=true`,
      "must not set tlsInsecure, tlsAllowInvalidCertificates or tlsAllowInvalidHostnames, because the password could be sent to another server",
    ]),
  ])("refuses %s and states the reason", (query, sentence) => {
    const refused = check(`mongodb://user:hunter2@a/registry?${query}`);
    expect(refused).toThrow(new ConfigError(`The configuration is invalid. REGISTRY_MONGODB_URI ${sentence}`));
  });

  test.each(["mongodb://a", "mongodb://a/", "mongodb://a/?replicaSet=test"])("refuses %s (no database)", (uri) => {
    const sentence =
      "REGISTRY_MONGODB_URI must include the name of the database after the hosts, as in mongodb://host/registry";
    expect(check(uri)).toThrow(new ConfigError(`The configuration is invalid. ${sentence}`));
  });

  test.each(["a.b", "a%20b", "a%2Fb", "a%5Cb", "a$b", "a%22b", "a".repeat(64)])(
    "refuses the database name %s",
    (name) => {
      expect(check(`mongodb://user:hunter2@a/${name}`)).toThrow(
        new ConfigError(
          "The configuration is invalid. REGISTRY_MONGODB_URI must name a database with at most 63 characters, " +
            'without white space and without . / \\ " and $',
        ),
      );
    },
  );

  test("names each TLS file that is missing", () => {
    const problem = (option: string) => `REGISTRY_MONGODB_URI (${option}): /nowhere/a.pem cannot be read (ENOENT)`;
    expect(
      check("mongodb://a/registry?tls=true&tlsCAFile=/nowhere/a.pem&tlsCertificateKeyFile=/nowhere/a.pem"),
    ).toThrow(`${problem("tlsCAFile")}; ${problem("tlsCertificateKeyFile")}`);
  });

  test.each(["tlsCAFile", "tlsCertificateKeyFile"])("refuses %s if it names a missing file", (option) => {
    const problem = `REGISTRY_MONGODB_URI (${option}): /nowhere/a.pem cannot be read (ENOENT)`;
    expect(check(`mongodb://a/registry?tls=true&${option}=/nowhere/a.pem`)).toThrow(new ConfigError(problem));
  });

  test("reports all faults in one error", () => {
    expect(check("mongodb://a/?w=1&journal=false")).toThrow(
      /REGISTRY_MONGODB_URI must not set w .*; REGISTRY_MONGODB_URI must not set journal .*; REGISTRY_MONGODB_URI must include /,
    );
  });

  test.each([
    "mongodb://user:hunter2",
    "mongodb://user:hunt/er2@a/registry",
    "mongodb://user:secret@a/registry?maxPoolSize=hunter2",
    "mongodb://a:hunter2/registry",
  ])("refuses %s, which the driver cannot parse, without showing its values", (uri) => {
    expect(check(uri)).toThrow(ConfigError);
    expect(check(uri)).toThrow(/REGISTRY_MONGODB_URI is not a valid MongoDB connection string$/);
  });

  test("reports options that the driver does not know", () => {
    expect(check("mongodb://a/registry?retryWrite=true")).toThrow(
      /REGISTRY_MONGODB_URI is not a valid MongoDB connection string \(option retrywrite is not supported\)$/,
    );
  });
});
