import { insertVariants } from "../../harness/bulk-certificates.ts";
import type { DatabaseRig } from "./rig.ts";
import { issueSamples } from "./sample-certificate.ts";

/** Creates a store and fills it with certificates for the checks of query plans. @returns the store's id */
export async function insertCertificates(rig: DatabaseRig): Promise<string> {
  const { collections, options, signal, log } = rig;
  const store = await rig.createStore();
  await issueSamples(rig, store, 1);
  await insertVariants(collections, store, {
    count: options.documents,
    signal,
    onProgress: (inserted) => log(`        ${inserted} of ${options.documents} certificates`),
  });
  return store;
}
