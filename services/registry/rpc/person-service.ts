import { ErasureKind, PersonService } from "#gen/registry/v1/person_service_pb.js";
import type { CommitQueue } from "../certificates/commit-queue.ts";
import { checkErasure, type ErasePersonDeps, erasePerson } from "../persons/erase-person.ts";
import type { StoreHistory } from "../stores/store-history.ts";
import { callLimitsOf } from "./call-limits-of.ts";
import { storeAndActorOf } from "./call-scope.ts";
import { enumNames } from "./enum-names.ts";
import { type OfferedService, offer } from "./offered-service.ts";

interface PersonServiceDeps extends Omit<ErasePersonDeps, "queue"> {
  readonly queue: CommitQueue;
  /** Records the start of each erasure. */
  readonly storeHistory: Pick<StoreHistory, "note">;
}

const kindNames = enumNames(ErasureKind);

/** Implements PersonService: translates between its messages and the domain. */
export function personService(deps: PersonServiceDeps): OfferedService {
  return offer(PersonService, {
    async erasePerson({ email, dryRun, pageToken }, context) {
      const { storeId, actor } = storeAndActorOf(context);
      const request = { storeId, email, isDryRun: dryRun, position: pageToken };
      checkErasure(request);
      const started = { action: "person.erased" as const, actor, details: {} };
      if (!dryRun && pageToken === "") await deps.storeHistory.note(storeId, started);
      const queue = deps.queue.within(callLimitsOf(context));
      const { kind, nextPosition, ...step } = await erasePerson({ ...deps, queue }, request);
      return {
        kind: kindNames.valueOf(kind),
        count: step.count,
        certificateIds: [...step.certificateIds],
        waitingCount: step.waitingCount,
        nextPageToken: nextPosition,
      };
    },
  });
}
