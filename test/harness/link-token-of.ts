import type { TestRegistry } from "./registry-fixture.ts";

/** Reads a certificate's link token from the database; the public JSON contains the token only in `verifyUrl`. */
export async function linkTokenOf(registry: Pick<TestRegistry, "database">, certificateId: string): Promise<string> {
  const found = await registry.database.collections.certificates.findOne({ _id: certificateId });
  if (found?.linkToken === undefined) throw new Error("the certificate has no link token");
  return found.linkToken;
}
