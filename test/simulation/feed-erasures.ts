import { eraseUntilNothingIsFound } from "#shared/erasure/erase-until-nothing-is-found.ts";
import type { DeliveryRecords } from "../../services/registry/deliveries/delivery.ts";
import { erasePerson } from "../../services/registry/persons/erase-person.ts";
import { type CallOptions, callUntilKnown, type ErasureAttempt, type FeedWorld } from "./feed-world.ts";
import { choicesOf } from "./run-in-world.ts";

const pauseMaxMs = 18_000;
const repeatAfterMs = 5_000;
// Far more than faults can take: ten minutes of the world.
const searchesMax = 120;

/** Erases random owners, one after the other. */
export async function erasePersons(history: FeedWorld): Promise<void> {
  const { world, script, owners, erased } = history;
  const random = choicesOf(history, "erasures");
  for (let count = 1; !history.isEnding; count++) {
    await world.delay(random.below(pauseMaxMs));
    while (history.holdsErasures) await world.delay(repeatAfterMs);
    const known = Array.from(owners).filter((owner) => !erased.has(owner));
    if (history.isEnding || known.length === 0) continue;
    const email = random.pick(known);
    if (script.happens(`erasure ${count}`, world.now(), `the erasure of ${email} begins`)) await erase(history, email);
  }
}

/** Erases an owner until a search finds nothing, as an administrator does. */
export async function erase(history: FeedWorld, email: string, options?: CallOptions): Promise<void> {
  const { world, script, storeId, erased, lostErasures, problems } = history;
  erased.add(email);
  let searches = 0;
  const unfinished = await eraseUntilNothingIsFound({
    step: ({ isSearch: isDryRun, position }) =>
      callUntilKnown(
        history,
        async ({ persons }) => {
          const attempt: ErasureAttempt = { claimed: undefined };
          lostErasures.add(attempt);
          const deps = { ...persons, records: noteClaims(persons.records, attempt) };
          const step = await erasePerson(deps, { storeId, email, isDryRun, position });
          lostErasures.delete(attempt);
          return step;
        },
        options,
      ),
    beforeRepeating: async () => {
      await world.delay(repeatAfterMs);
      return ++searches < searchesMax;
    },
  });
  if (unfinished !== undefined) {
    problems.push(`the erasure of ${email} still finds something after ${searchesMax} searches`);
    return;
  }
  script.note(world.now(), `the erasure of ${email} has found nothing more`);
}

function noteClaims(records: DeliveryRecords, attempt: ErasureAttempt): DeliveryRecords {
  return {
    claimLifeMs: records.claimLifeMs,
    claim: (requests, origin) => {
      attempt.claimed = requests.at(-1)?.eventId;
      return records.claim(requests, origin);
    },
    renew: (requests, now) => records.renew(requests, now),
    settle: (outcomes) => records.settle(outcomes),
    release: (eventIds) => records.release(eventIds),
    webhooksOf: (storeIds) => records.webhooksOf(storeIds),
  };
}
