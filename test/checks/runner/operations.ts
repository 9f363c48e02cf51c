import { IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import { inStore } from "../../harness/in-store.ts";
import { issueItem } from "../../harness/issue-items.ts";
import type { CaseResponse } from "../../harness/lifecycle-case.ts";
import {
  type CaseName,
  caseEntries,
  lifecycleCases,
  ownerNames,
  personNamed,
  wayOut,
} from "../../harness/lifecycle-cases.ts";
import type { SeededRandom } from "../../harness/seeded-random.ts";
import type { RegistryClients } from "../../harness/stack/registry-clients.ts";
import type { AcknowledgedChange } from "./acknowledged-changes.ts";
import type { WorkloadStore } from "./workload-store.ts";

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
}

type Kind = CaseName | "issue" | "import";

const importMax = 100;

// Relative frequencies. Most operations change existing certificates: each change moves a certificate to the end of the
// list, where a client that has already read the certificate could miss the change.
const weights: readonly (readonly [Kind, number])[] = [
  ["issue", 10],
  ["import", 1],
  ...caseEntries.map(([name, { weights }]) => [name, weights.checks] as const),
];
const kinds = weights.flatMap(([kind, weight]) => Array<Kind>(weight).fill(kind));

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
  const chosen = store.certificateIds.length === 0 ? "issue" : random.pick(kinds);
  const choice = { store, random, idempotencyKey };
  if (chosen === "issue" || chosen === "import") {
    const send = chosen === "issue" ? issueOne(choice) : importOrder(choice);
    return { kind: chosen, store, certificateId: undefined, send };
  }
  const certificateId = givenId ?? chooseTarget(store, random);
  const state = store.states.get(certificateId) ?? "active";
  const kind = random.chance(refusedProbability) ? chosen : possibleKind(chosen, state);
  return { kind, store, certificateId, send: change(kind, choice, certificateId) };
}

// Probability of keeping an operation that may be refused. Low, because a refused operation changes nothing but costs
// as much as a change.
const refusedProbability = 0.05;

/** Returns `kind` if the certificate's state permits it; otherwise the kind that leads to such a state. */
function possibleKind(kind: CaseName, state: "active" | "revoked" | "expired"): CaseName {
  const operation = lifecycleCases[kind];
  return typeof operation.effects[state] === "string" ? kind : (wayOut(state, operation) ?? kind);
}

/** Without an idempotency key, a change whose response is lost is never acknowledged. */
function change(kind: CaseName, { store, random, idempotencyKey }: Choice, certificateId: string): Send {
  const operation = lifecycleCases[kind];
  const content = random.below(operation.contents.length);
  return async (registry) => {
    const response = await operation.send(registry, { storeId: store.id, certificateId, idempotencyKey, content });
    const { status } = operation.contentOf(content).changes("");
    if (status !== undefined) store.states.set(certificateId, status);
    return response.isChange ? changeOf(certificateId, response) : [];
  };
}

function issueOne({ store, random, idempotencyKey }: Choice): Send {
  return issue(store, idempotencyKey, [issueItem({ buyer: buyer(random) })], false);
}

function importOrder({ store, random, idempotencyKey }: Choice): Send {
  // Some imports contain an order that was imported before: at least some of its units already have certificates.
  const order = random.chance(0.3) && store.orders > 0 ? random.below(store.orders) : store.orders++;
  const id = String(1_000_000 + order);
  const items = Array.from({ length: 1 + random.below(importMax) }, (_, index) =>
    issueItem({ buyer: buyer(random), order: { id, name: `#${order}`, unit: index + 1 } }),
  );
  return issue(store, idempotencyKey, items, true);
}

// Half of the time, chooses among the ten newest certificates, so that writers compete for the same certificates.
function chooseTarget({ certificateIds }: WorkloadStore, random: SeededRandom): string {
  return random.chance(0.5) ? random.pick(certificateIds.slice(-10)) : random.pick(certificateIds);
}

function buyer(random: SeededRandom) {
  return personNamed(random.pick(ownerNames));
}

function issue(
  store: WorkloadStore,
  idempotencyKey: string,
  items: ReturnType<typeof issueItem>[],
  isImport: boolean,
): Send {
  return async ({ issuing }) => {
    const request = { storeId: store.id, items, idempotencyKey, isImport };
    const { results } = await issuing.issueCertificates(request, inStore(request.storeId));
    const issued = results.filter(({ outcome }) => outcome === IssueOutcome.ISSUED);
    store.certificateIds.push(...issued.map(({ certificateId }) => certificateId));
    return issued.map(({ certificateId }) => ({ certificateId }));
  };
}

function changeOf(certificateId: string, { message }: CaseResponse): AcknowledgedChange[] {
  if (message.certificate === undefined) return [{ certificateId }];
  const { id, updatedAt } = message.certificate;
  if (typeof id !== "string" || typeof updatedAt !== "string") throw new Error("the response contains no certificate");
  return [{ certificateId: id, updatedAt }];
}
