import { IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { issueItem } from "../../harness/issue-items.ts";
import type { SeededRandom } from "../../harness/seeded-random.ts";
import type { RegistryClients } from "../../harness/stack/registry-clients.ts";
import type { AcknowledgedChange } from "./acknowledged-changes.ts";
import { ownerEmails, type WorkloadStore } from "./workload-store.ts";

/** A writer's operation. Calling `send` again is a retry: it sends the same request. */
export interface Operation {
  readonly kind: Kind;
  readonly store: WorkloadStore;
  /** Undefined for issue and import. */
  readonly certificateId: string | undefined;
  /** Sends the request. @returns the changes that the response confirms */
  send(registry: RegistryClients): Promise<AcknowledgedChange[]>;
}

type Send = Operation["send"];

interface Choice {
  readonly store: WorkloadStore;
  readonly random: SeededRandom;
  readonly idempotencyKey: string;
  /** Id of the certificate to change; the empty string when the operation issues certificates. */
  readonly certificateId: string;
}

type Maker = (choice: Choice) => Send;

const importMax = 100;

// Relative frequencies. Most operations change existing certificates: each change moves a certificate to the end of the
// list, where a client that has already read the certificate could miss the change.
const weights = { issue: 10, import: 1, revoke: 12, reactivate: 24, transfer: 29, verify: 10, report: 14 };

/**
 * Chooses an operation on a store.
 *
 * @param idempotencyKey makes retries safe
 * @param givenId id of the certificate to change, unless the operation issues certificates; default: a random
 * certificate
 */
export function chooseOperation(
  store: WorkloadStore,
  random: SeededRandom,
  idempotencyKey: string,
  givenId?: string,
): Operation {
  const chosen = store.certificateIds.length === 0 ? "issue" : chooseKind(random);
  const certificateId = issuing.has(chosen) ? undefined : (givenId ?? chooseTarget(store, random));
  const isRevoked = store.revokedIds.has(certificateId ?? "");
  const kind = random.chance(refusedProbability) ? chosen : possibleKind(chosen, isRevoked);
  const send = makers[kind]({ store, random, idempotencyKey, certificateId: certificateId ?? "" });
  return { kind, store, certificateId, send };
}

type Kind = keyof typeof makers;

const issuing: ReadonlySet<Kind> = new Set(["issue", "import"]);

// Probability of keeping an operation that may be refused. Low, because a refused operation changes nothing but costs
// as much as a change.
const refusedProbability = 0.05;

/** Returns `kind` if the certificate's state permits it; otherwise a kind that the state permits. */
function possibleKind(kind: Kind, isRevoked: boolean): Kind {
  if (isRevoked) return kind === "revoke" || kind === "transfer" ? "reactivate" : kind;
  return kind === "reactivate" ? "revoke" : kind;
}

function chooseKind(random: SeededRandom): Kind {
  const kinds = Object.entries(weights).flatMap(([kind, weight]) => Array<string>(weight).fill(kind));
  return random.pick(kinds) as Kind;
}

const causes = [RevocationCause.REFUND, RevocationCause.ORDER_CANCELLED, RevocationCause.IN_APP];

const makers = {
  issue: ({ store, random, idempotencyKey }) =>
    issue(store, idempotencyKey, [issueItem({ buyer: buyer(random) })], false),
  import: ({ store, random, idempotencyKey }) => {
    // Some imports contain an order that was imported before: at least some of its units already have certificates.
    const order = random.chance(0.3) && store.orders > 0 ? random.below(store.orders) : store.orders++;
    const id = String(1_000_000 + order);
    const items = Array.from({ length: 1 + random.below(importMax) }, (_, index) =>
      issueItem({ buyer: buyer(random), order: { id, name: `#${order}`, unit: index + 1 } }),
    );
    return issue(store, idempotencyKey, items, true);
  },
  revoke: ({ store, random, idempotencyKey, certificateId }) => {
    const request = { storeId: store.id, certificateId, cause: random.pick(causes), idempotencyKey };
    return async ({ lifecycle }) => {
      const { certificate } = await lifecycle.revokeCertificate(request);
      store.revokedIds.add(certificateId);
      return changeOf(certificate);
    };
  },
  reactivate: ({ store, idempotencyKey, certificateId }) => {
    const request = { storeId: store.id, certificateId, idempotencyKey };
    return async ({ lifecycle }) => {
      const { certificate } = await lifecycle.reactivateCertificate(request);
      store.revokedIds.delete(certificateId);
      return changeOf(certificate);
    };
  },
  transfer: ({ store, random, idempotencyKey, certificateId }) => {
    const newOwner = { newOwnerName: "Bob Example", newOwnerEmail: random.pick(ownerEmails) };
    const request = { storeId: store.id, certificateId, idempotencyKey, ...newOwner };
    return async ({ lifecycle }) => {
      const { certificate, unchanged } = await lifecycle.transferCertificate(request);
      return unchanged ? [] : changeOf(certificate);
    };
  },
  // Has no idempotency key, because only the first visit changes the certificate. When the response to the first visit
  // is lost, the change is never acknowledged.
  verify:
    ({ certificateId }) =>
    async ({ verification }) => {
      const { isFirst } = await verification.recordVerification({ certificateId });
      return isFirst ? [{ certificateId }] : [];
    },
  report:
    ({ idempotencyKey, certificateId }) =>
    async ({ verification }) => {
      await verification.reportProblem({ certificateId, content: "The seam is open.", idempotencyKey });
      return [{ certificateId }];
    },
} satisfies Record<keyof typeof weights, Maker>;

/** Names of the operations that writers choose from. */
export const operationKinds: readonly string[] = Object.keys(makers);

// Half of the time, chooses among the ten newest certificates, so that writers compete for the same certificates.
function chooseTarget({ certificateIds }: WorkloadStore, random: SeededRandom): string {
  return random.chance(0.5) ? random.pick(certificateIds.slice(-10)) : random.pick(certificateIds);
}

function buyer(random: SeededRandom) {
  return { name: "Ada Example", email: random.pick(ownerEmails) };
}

function issue(
  store: WorkloadStore,
  idempotencyKey: string,
  items: ReturnType<typeof issueItem>[],
  isImport: boolean,
): Send {
  return async ({ issuing }) => {
    const request = { storeId: store.id, items, idempotencyKey, isImport };
    const { results } = await issuing.issueCertificates(request);
    const issued = results.filter(({ outcome }) => outcome === IssueOutcome.ISSUED);
    store.certificateIds.push(...issued.map(({ certificateId }) => certificateId));
    return issued.map(({ certificateId }) => ({ certificateId }));
  };
}

function changeOf(certificate: { readonly [name: string]: unknown } | undefined): AcknowledgedChange[] {
  const { id, updatedAt } = certificate ?? {};
  if (typeof id !== "string" || typeof updatedAt !== "string") throw new Error("the response contains no certificate");
  return [{ certificateId: id, updatedAt }];
}
