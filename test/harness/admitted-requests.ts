import { randomBytes } from "node:crypto";
import { Binary } from "mongodb";
import type { AdmittedRequests } from "../../services/registry/mongo/documents/access-documents.ts";

/** Returns the time of each request in a store's rate-limit window, in milliseconds since 1970, oldest first. */
export function admissionTimesOf(admitted: readonly AdmittedRequests[] = []): number[] {
  return admitted.flatMap(({ at, ids }) => ids.map(() => at.getTime()));
}

/** Returns a window with one request at each of these times, with random places. */
export function admittedAt(times: readonly Date[]): AdmittedRequests[] {
  return times.map((at) => ({ at, ids: [new Binary(randomBytes(16))] }));
}
