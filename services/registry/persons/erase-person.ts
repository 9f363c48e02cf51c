import { emailKey, isEmailAddress } from "#shared/email/email-address.ts";
import type { ErasureStep } from "#shared/erasure/erase-until-nothing-is-found.ts";
import { badRequest } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import type { ChangeQueue } from "../certificates/commit-queue.ts";
import type { UnsentOutcome } from "../deliveries/claim-state.ts";
import type { DeliveryRecords } from "../deliveries/delivery.ts";
import { settleUnsent } from "../deliveries/settle-unsent.ts";
import type { DeletedMessages, MessageSelection } from "../outbox/delete-messages.ts";
import { countErasure, eraseCertificates, erasedFields } from "./erase-certificates.ts";
import { erasedPerson, everyonesTexts, type PersonTexts, personTexts } from "./person-texts.ts";
import { type PersonalData, queueKinds, textKinds } from "./personal-data.ts";
import { rewriteFor } from "./rewrite-texts.ts";

export interface ErasePersonDeps {
  readonly data: PersonalData;
  /**
   * Deletes messages from the event stream.
   *
   * @throws ServiceError `unavailable` if NATS is unavailable or refuses the call
   */
  readonly deleteMessages: (storeId: string, selection: MessageSelection) => Promise<DeletedMessages>;
  /** Deletes messages from the stream of automation events, which outlasts the publishing. */
  readonly deleteAutomationMessages: ErasePersonDeps["deleteMessages"];
  /**
   * Returns whether a registry publishes automation events: this one, or another that is configured otherwise. None
   * does while they are held after a restore.
   */
  readonly publishesAutomationEvents: () => Promise<boolean>;
  readonly queue: ChangeQueue;
  readonly records: DeliveryRecords;
  /** Returns whether an event is still in the outbox. */
  readonly isUnsettled: (eventId: string) => Promise<boolean>;
}

/** A request for one step of an erasure. */
interface ErasePersonRequest {
  readonly storeId: string;
  readonly email: string;
  /** Whether to count without changing anything. */
  readonly isDryRun: boolean;
  /** Where the step begins: the `nextPosition` of the previous step; empty for the first step. */
  readonly position: string;
  /** Imports that were created at this time or later are kept. Default: none is kept. */
  readonly importsBefore?: Date | undefined;
}

/** The result of one step. */
interface ErasePersonStep extends ErasureStep {
  readonly kind: ErasureKind;
  /** The ids of the certificates that were (in a dry run, would be) changed. */
  readonly certificateIds: readonly string[];
}

/** The kinds of data that an erasure covers, in the order of its steps. */
const erasureKinds = ["certificates", "events", ...queueKinds, "stream", "automation_stream", ...textKinds] as const;

/** One of {@link erasureKinds}. */
type ErasureKind = (typeof erasureKinds)[number];

type StepResult = Pick<ErasureStep, "count" | "waitingCount"> & {
  readonly certificateIds?: readonly string[];
  /** Where the next page of the same kind begins; undefined after the last page. */
  readonly next: string | undefined;
};

// Each changed certificate takes one millisecond of the store's clock, so a transaction may have to wait one
// millisecond for each certificate that it changes.
const certificatesPerChange = 50;
const certificatesPerStep = 200;

const erasedOutcome: UnsentOutcome = {
  kind: "skipped",
  reason: reason("erased_before_sending"),
};

/** Checks a request without reading any data. @throws ServiceError `bad_request` naming `email` or `page_token` */
export function checkErasure({ email, position }: Pick<ErasePersonRequest, "email" | "position">): void {
  if (!isEmailAddress(email)) throw badRequest("email", reason("email_invalid"));
  if (emailKey(email) === emailKey(erasedPerson.email))
    throw badRequest("email", "is the placeholder address of erased persons");
  parsePosition(position);
}

/**
 * Performs one step of erasing a person from a store: one page of one kind of data. Each step is idempotent, so that an
 * interrupted erasure can start again from the beginning. Live traffic can add data that earlier steps would have
 * covered, so the erasure must be repeated until it finds nothing.
 *
 * Certificates come first: once they no longer contain the person's name and address, new events and responses do not
 * either.
 *
 * @throws ServiceError `bad_request` naming `email` or `page_token`; `unavailable` while the database or NATS is
 * unavailable
 */
export async function erasePerson(deps: ErasePersonDeps, request: ErasePersonRequest): Promise<ErasePersonStep> {
  checkErasure(request);
  const { email } = request;
  return eraseStep(deps, request, { person: personTexts(email), rewriteFor });
}

/**
 * Performs one step of erasing all persons from a store. Works like {@link erasePerson}, but each step covers all
 * persons.
 */
export function eraseEveryone(
  deps: ErasePersonDeps,
  request: Pick<ErasePersonRequest, "storeId" | "isDryRun" | "position" | "importsBefore">,
): Promise<ErasePersonStep> {
  return eraseStep(deps, request, {
    person: everyonesTexts(),
    rewriteFor: (kind, persons) => {
      const rewrite = rewriteFor(kind, persons);
      if (kind !== "quarantine") return rewrite;
      // A quarantined message can be from another store, whose persons are not erased.
      return (document) =>
        Object.values(document.texts).some((text) => text.includes(request.storeId)) ? rewrite(document) : undefined;
    },
  });
}

/** How a step finds the persons to erase, one or all, in stored texts, and how it rewrites the texts of each kind. */
interface Erased {
  readonly person: PersonTexts;
  readonly rewriteFor: typeof rewriteFor;
}

interface Step extends Pick<ErasePersonRequest, "storeId" | "isDryRun" | "importsBefore">, Erased {
  readonly position: string | undefined;
}

async function eraseStep(
  deps: ErasePersonDeps,
  { storeId, isDryRun, importsBefore, position: from }: Omit<ErasePersonRequest, "email">,
  erased: Erased,
): Promise<ErasePersonStep> {
  const { kind, position } = parsePosition(from);
  const step = { storeId, isDryRun, importsBefore, position: position === "" ? undefined : position };
  const found = await runStep(deps, kind, { ...step, ...erased });
  const { next, certificateIds = [], ...result } = found;
  const nextKind = next === undefined ? erasureKinds[erasureKinds.indexOf(kind) + 1] : kind;
  const nextPosition = nextKind === undefined ? "" : `${nextKind} ${next ?? ""}`;
  return { kind, ...result, certificateIds, nextPosition };
}

async function runStep(deps: ErasePersonDeps, kind: ErasureKind, step: Step): Promise<StepResult> {
  const { storeId, person, isDryRun, position } = step;
  if (kind === "certificates") return eraseFromCertificates(deps, step);
  if (kind === "events") return settleEvents(deps, step);
  if (kind === "stream") {
    const isSettled = async (eventId: string) => !(await deps.isUnsettled(eventId));
    return deleteFromStream(deps.deleteMessages, step, isSettled);
  }
  if (kind === "automation_stream") return deleteFromStream(deps.deleteAutomationMessages, step, async () => true);
  if (kind === "trigger_events" || kind === "automation_events" || kind === "listen_messages") {
    // A relay may hold an automation event in memory that it has not published yet. The stream certainly has the event
    // only once the event has left the outbox. Without a relay, the event is never published.
    const isLeft = kind === "automation_events" && (await deps.publishesAutomationEvents());
    const page = { position, matches: person.isMentionedInBytes, apply: !isDryRun && !isLeft };
    const { count, waitingCount, next } = await deps.data.removeQueued(kind, storeId, page);
    return isLeft && !isDryRun ? { count: 0, waitingCount: count, next } : { count, waitingCount, next };
  }
  const rewrite = step.rewriteFor(kind, person);
  const page = await deps.data.rewriteTexts(kind, storeId, { position, rewrite, apply: !isDryRun });
  // In each pass, also one that has found no message: an earlier one may have failed before this.
  if (kind === "storefront_messages" && !isDryRun && page.next === undefined)
    await deps.queue.submit(storeId, countErasure);
  return { ...page, waitingCount: 0 };
}

async function deleteFromStream(
  deleteMessages: ErasePersonDeps["deleteMessages"],
  { storeId, person, isDryRun, position }: Step,
  isSettled: MessageSelection["isSettled"],
): Promise<StepResult> {
  const from = position === undefined ? undefined : Number(position);
  if (from !== undefined && !(Number.isSafeInteger(from) && from >= 1)) throw badRequest("page_token", "is not valid");
  const selection = { from, matches: person.isMentionedInBytes, isSettled, apply: !isDryRun };
  const { count, waitingCount, next } = await deleteMessages(storeId, selection);
  return { count, waitingCount, next: next?.toString() };
}

async function eraseFromCertificates(deps: ErasePersonDeps, step: Step): Promise<StepResult> {
  const { data, queue } = deps;
  const { storeId, person, isDryRun, position, importsBefore } = step;
  const page = await data.scanCertificates(storeId, position);
  const matching = page.items.filter((certificate) => erasedFields(certificate, person) !== undefined);
  const erased = matching.slice(0, certificatesPerStep);
  const next = erased.length < matching.length ? erased.at(-1)?.next : page.next;
  const certificateIds = erased.map(({ id }) => id);
  // A name can span two of the parts in which a file is stored, so files are deleted; merchants can upload them again.
  const waitingCount = position === undefined ? await data.deleteImports(storeId, importsBefore, !isDryRun) : 0;
  const names = erased.flatMap(({ owner, originalBuyer }) =>
    [owner, originalBuyer].filter(person.isPerson).map(({ name }) => name),
  );
  if (!isDryRun && erased.length > 0) {
    // Reports and history come first: the erased certificates no longer contain the names to search for.
    const named = person.named(names);
    for (const kind of ["reports", "history"] as const)
      await data.rewriteTextsOf(kind, storeId, certificateIds, rewriteFor(kind, named));
    for (let first = 0; first < erased.length; first += certificatesPerChange) {
      const ids = certificateIds.slice(first, first + certificatesPerChange);
      await queue.submit(storeId, eraseCertificates(ids, named));
    }
  }
  return { count: erased.length, certificateIds, waitingCount, next };
}

async function settleEvents({ data, records }: ErasePersonDeps, step: Step): Promise<StepResult> {
  const { storeId, person, isDryRun, position } = step;
  const { items, next } = await data.scanEvents(storeId, position);
  const matching = items.filter(({ bytes }) => person.isMentionedInBytes(bytes));
  let waitingCount = 0;
  if (!isDryRun)
    for (const { request } of matching)
      if (!(await settleUnsent(records, request, { claimedBy: "erasure", outcome: erasedOutcome }))) waitingCount++;
  return { count: matching.length - waitingCount, waitingCount, next };
}

function parsePosition(text: string): { readonly kind: ErasureKind; readonly position: string } {
  if (text === "") return { kind: "certificates", position: "" };
  const [name = "", ...rest] = text.split(" ");
  const kind = erasureKinds.find((one) => one === name);
  if (kind === undefined) throw badRequest("page_token", "is not valid");
  return { kind, position: rest.join(" ") };
}
