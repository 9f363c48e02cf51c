import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { atEnd } from "#shared/lifecycle/at-end-fixture.ts";
import { allStores, type OperatorEntry, type OperatorRight, operatorRights } from "#shared/operators/operator-entry.ts";
import { operatorTokenHash } from "#shared/operators/operator-token.ts";
import { openTemporaryFolder } from "./files/temporary-folder.ts";

interface TestOperator {
  readonly actor: string;
  readonly token: string;
  /** Default: all rights. */
  readonly rights?: readonly OperatorRight[];
  /** Domains of the stores to which the rights are limited. Default: all stores. */
  readonly stores?: readonly string[];
}

/** Returns an operator's entry for the operators' file. */
export function operatorEntryOf({ actor, token, rights = operatorRights, stores = [allStores] }: TestOperator) {
  return { actor, token_sha256: operatorTokenHash(token), rights: [...rights], stores: [...stores] };
}

/** Writes an operators' file, and removes it at the end of the test or the test file. */
export async function openOperatorsFile(entries: readonly OperatorEntry[]) {
  const folder = await openTemporaryFolder("registry-operators", atEnd);
  const path = join(folder, "operators.json");
  const writeText = (text: string) => writeFile(path, text);
  const write = (next: readonly OperatorEntry[]) => writeText(JSON.stringify(next));
  await write(entries);
  return { path, write, writeText };
}
