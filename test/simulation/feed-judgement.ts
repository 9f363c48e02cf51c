import type { CertificateDocument } from "../../services/registry/mongo/documents/documents.ts";
import { erasedPerson } from "../../services/registry/persons/person-texts.ts";
import { isImported } from "./feed-imports.ts";
import type { FeedWorld, Follower } from "./feed-world.ts";
import { findPersons } from "./find-persons.ts";
import { outcomeProblems } from "./outcome-judgement.ts";

/** Returns whether events have outcomes, automation events are published, and followers have read the last change. */
export async function isAtRest({ collections, followers, storeId }: FeedWorld): Promise<boolean> {
  for (const queue of [collections.outbox, collections.automationOutbox])
    if ((await queue.countDocuments()) > 0) return false;
  const [latest] = await collections.certificates.find({ store: storeId }).sort({ updatedAt: -1 }).limit(1).toArray();
  const epoch = (await collections.access.findOne({ _id: storeId }))?.epoch;
  return followers.every((one) => one.epoch === epoch && (latest === undefined || one.cursor >= latest.updatedAt));
}

/** Judges a history at rest, and adds what is wrong to its problems. */
export async function judge(history: FeedWorld): Promise<void> {
  const { collections, storeId, followers, acknowledged, issuedCount, lostSerials, problems, erased } = history;
  const stored = await collections.certificates.find({ store: storeId }).toArray();
  const { length } = stored.filter((one) => !isImported(one));
  if (length !== issuedCount) problems.push(`${length} certificates for ${issuedCount} items`);
  for (const { _id, serial } of stored)
    if (lostSerials.has(serial)) problems.push(`${_id} has the serial number ${serial} of a certificate that was lost`);
  problems.push(...misnumbered(stored));
  const owners = new Map(stored.map(({ _id, owner }) => [_id, owner.email]));
  for (const [id, email] of acknowledged) {
    const expected = erased.has(email) ? erasedPerson.email : email;
    if (owners.get(id) !== expected) problems.push(`${id} has the owner ${owners.get(id)} instead of ${expected}`);
  }
  problems.push(...followers.flatMap(({ copy }) => missed(copy, stored)));
  const events = await collections.history.countDocuments({ store: storeId });
  const outcomes = await collections.deliveries.countDocuments({ store: storeId, outcome: { $ne: null } });
  // After a restore, there are outcomes of messages whose events were lost.
  if (history.isRestored ? events > outcomes : events !== outcomes)
    problems.push(`${events} events have ${outcomes} outcomes`);
  if (!history.isRestored) problems.push(...(await judgeOutcomes(history)));
  const quarantined = await collections.quarantine.countDocuments();
  if (quarantined > 0) problems.push(`${quarantined} messages are quarantined`);
  problems.push(...(await findPersons(history, { storeId, filter: {}, texts: Array.from(erased) })));
}

async function judgeOutcomes({ collections, storeId, sent, disturbed, lostErasures }: FeedWorld): Promise<string[]> {
  const messages = Array.from(sent.values()).flat();
  const deliveries = await collections.deliveries.find({ store: storeId }).toArray();
  // An erasure settles one event after the other, so it leaves at most the last one.
  const leftByErasures = new Set(Array.from(lostErasures, ({ claimed }) => claimed));
  return deliveries.flatMap((delivery) => {
    const statuses = messages.filter(({ eventId }) => eventId === delivery._id).map(({ status }) => status);
    return outcomeProblems({ id: delivery._id, delivery, statuses }, { disturbed, canFail: false, leftByErasures });
  });
}

function missed(copy: Follower["copy"], stored: readonly CertificateDocument[]): string[] {
  const isRead = ({ linkToken = "", updatedAt }: CertificateDocument) => copy.get(linkToken) === updatedAt.getTime();
  return [
    ...stored.flatMap((one) => (isRead(one) ? [] : [`a follower has missed a change of ${one._id}`])),
    ...(copy.size > stored.length ? ["a follower has read certificates that do not exist"] : []),
  ];
}

/** Edition numbers are assigned from 1, without a gap, and each once. */
function misnumbered(stored: readonly CertificateDocument[]): string[] {
  const numbers = stored.flatMap(({ edition }) => edition?.number ?? []).toSorted((one, other) => one - other);
  const wrong = numbers.findIndex((number, index) => number !== index + 1);
  return wrong === -1 ? [] : [`the edition number after ${wrong} is ${numbers[wrong]}`];
}
