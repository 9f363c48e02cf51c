import type { ModelName } from "./run-histories.ts";

/** A change that takes back one decision of the production code. */
export interface Mutation {
  /** The model that finds it. Default: `orders`. */
  readonly model?: ModelName;
  /** What no longer holds. */
  readonly name: string;
  /** Words of the choices to which its histories are directed; see HistoryScript. Default: they are not directed. */
  readonly focus?: string;
  /** Replacements of texts that occur exactly once in their files. */
  readonly changes: readonly { readonly file: string; readonly from: string; readonly to: string }[];
}

const storefront = "services/registry/storefront";
const mongo = "services/registry/mongo/storefront";
const admissionPipelines = "services/registry/mongo/admissions/admission-pipelines.ts";
const leases = "services/registry/mongo/leases/mongo-leases.ts";
const triggerQueue = "services/registry/mongo/triggers/mongo-trigger-queue.ts";

/** Faults that the model must find; `npm run check:simulation -- --mutations` shows that it does. */
export const mutations: readonly Mutation[] = [
  {
    name: "certificates that are imported or changed by hand make their order due",
    focus: "import cancelled",
    changes: [
      {
        file: "services/registry/mongo/certificates/draft-writes.ts",
        from: "    ...dueWrites(collections, store._id, draft.ordersToCompare, draft.now),\n",
        to: "",
      },
    ],
  },
  {
    name: "a change in progress does not miss an order that is stored and compared meanwhile",
    focus: "import during comparison",
    changes: [
      {
        file: `${mongo}/mongo-storefront-orders.ts`,
        from: "        await storefronts.updateOne({ _id: storeId }, conflictUpdate, limited);\n",
        to: "        await storefronts.findOne({ _id: storeId }, limited);\n",
      },
    ],
  },
  {
    name: "a change writes nothing if the order has changed since it was read",
    focus: "place selected, and cancel latest",
    changes: [
      {
        file: `${storefront}/reconcile-order.ts`,
        from: "storefront.orderVersions.get(orderId) === version &&\n        ",
        to: "",
      },
    ],
  },
  {
    name: "a change writes nothing if the rules have changed since they were read",
    focus: "place selected, and remove rules",
    changes: [
      {
        file: `${storefront}/reconcile-order.ts`,
        from: " &&\n        storefront.rulesVersion === rulesVersion",
        to: "",
      },
    ],
  },
  {
    name: "a worker that began before an erasure issues nothing afterwards",
    focus: "place selected, and erase by address",
    changes: [
      {
        file: `${storefront}/reconcile-order.ts`,
        from: " &&\n        draft.erasures === erasures",
        to: "",
      },
    ],
  },
  {
    name: "a worker settles an order only if the order has not changed since it was read",
    focus: "place selected, and cancel latest",
    changes: [
      {
        file: `${mongo}/mongo-storefront-orders.ts`,
        from: "filter: unchanged(storeId, order),\n          update",
        to: "filter: { _id: compoundKey(storeId, order.orderId) },\n          update",
      },
    ],
  },
  {
    name: "a message is settled only once its order has taken it in",
    changes: [
      {
        file: `${storefront}/apply-messages.ts`,
        from: "  const conflicts = await mergeIntoOrders(",
        to: "  await deps.inbox.settle(storeId, messages);\n  const conflicts = await mergeIntoOrders(",
      },
    ],
  },
  {
    name: "an order that waits for other inputs than before is compared once more",
    focus: "place catalogued, and enlarge edition",
    changes: [{ file: `${mongo}/mongo-storefront-orders.ts`, from: "...(isKnown && {", to: "...(true && {" }],
  },
  {
    name: "the record of an order is replaced only if it has not changed since it was read",
    focus: "report again, and cancel latest",
    changes: [
      { file: `${mongo}/mongo-storefront-orders.ts`, from: "filter: { _id, version },", to: "filter: { _id }," },
    ],
  },
  {
    name: "of two states of a product from the same second, the one sent later counts",
    focus: "order after tags",
    changes: [
      {
        file: `${mongo}/mongo-storefront-products.ts`,
        from: "compareRanks(rank, rankOf(stored)) > 0;",
        to: "rank.updatedAtMs > stored.updatedAt.getTime();",
      },
    ],
  },
  {
    name: "of two states of an order from the same second, the one sent later counts",
    changes: [
      {
        file: `${storefront}/order-record.ts`,
        from: "compareRanks(rank, record.rank) > 0;",
        to: "rank.updatedAtMs > record.rank.updatedAtMs;",
      },
    ],
  },
  {
    name: "changed tags make the orders due that wait for them",
    focus: "place without tag, and add tag",
    changes: [
      {
        file: `${mongo}/mongo-storefront-products.ts`,
        from: "waitsFor.length > 0 ? touchUpdate(found, waitsFor, now) : ",
        to: "",
      },
    ],
  },
  {
    name: "changed rules make the orders due",
    changes: [{ file: `${mongo}/mongo-storefronts.ts`, from: "rulesVersion }, ...touch };", to: "rulesVersion } };" }],
  },
  {
    name: "rules that change while they make the orders due make them due once more",
    focus: "place unselected, and select all",
    changes: [
      {
        file: `${mongo}/mongo-storefronts.ts`,
        from: "$unset: { touching: 1 as const }",
        to: "$unset: { touching: 1 as const, touchSince: 1 as const }",
      },
    ],
  },
  {
    name: "rules are read after the orders that are compared with them",
    focus: "place unselected, and select all",
    changes: [
      {
        file: `${storefront}/work-on-batch.ts`,
        from: "{ erasures, hasTouchLeft }",
        to: "{ erasures, hasTouchLeft, ...old }",
      },
      {
        file: `${storefront}/work-on-batch.ts`,
        from: "const { rules, rulesVersion } = await storefronts.find(storeId);",
        to: "const { rules, rulesVersion } = old;",
      },
    ],
  },
  {
    name: "an enlarged edition makes the orders due that wait for it",
    focus: "place catalogued, and enlarge edition",
    changes: [
      {
        file: "services/registry/mongo/stores/mongo-store-directory.ts",
        from: "if (skus.length > 0) ",
        to: "if (skus.length < 0) ",
      },
    ],
  },
  {
    name: "refunds that the state of the order does not contain yet count",
    focus: "refund issued",
    changes: [
      {
        file: `${storefront}/order-record.ts`,
        from: "Math.min(line.currentQuantity ?? line.quantity, line.quantity - refunded)",
        to: "line.currentQuantity ?? line.quantity",
      },
    ],
  },
  {
    name: "a refund revokes a certificate at most once",
    focus: "reactivate refunded",
    changes: [
      {
        file: `${storefront}/plan-order.ts`,
        from: 'return status === "active" && !wasWithdrawn;',
        to: 'return status === "active";',
      },
    ],
  },
  {
    name: "work that a clock ahead has made due is due once the clock is set back",
    focus: "place order, and set database back",
    changes: [
      {
        file: "services/registry/mongo/due-work/due-times.ts",
        from: ", { $gt: new Date(nowMs + postponedMaxMs + knowledgeLateMaxMs) }",
        to: "",
      },
    ],
  },
  {
    name: "an order that is reported after the erasure of its buyer stays without the buyer",
    focus: "erase before report",
    changes: [
      {
        file: `${storefront}/order-record.ts`,
        from: "return isBuyerErased(record) || isBuyerErased({ order }) ? eraseBuyer(merged) : merged;",
        to: "return merged;",
      },
    ],
  },
  {
    name: "an erasure also covers orders that the platform has not reported yet",
    focus: "erase before report",
    changes: [
      {
        file: `${storefront}/erase-customers.ts`,
        from: "[...new Set([...customer.orderIds, ...found.keys()])]",
        to: "[...found.keys()]",
      },
    ],
  },
  {
    name: "a message that an erasure has rewritten since it was taken is applied again",
    focus: "place selected, and erase by address",
    changes: [
      {
        file: `${mongo}/mongo-storefront-inbox.ts`,
        from: "const isUnchanged = { ...isOrderMessage, rewrites: rewrites === 0 ? { $exists: false } : rewrites };",
        to: "const isUnchanged = { ...isOrderMessage };",
      },
    ],
  },
  {
    name: "stored answers lose the names in the reasons of revocations",
    focus: "erase named",
    changes: [
      {
        file: "services/registry/persons/rewrite-texts.ts",
        from: "answers: (person, text) => person.named(person.namesIn(text)).eraseFromJson(text),",
        to: "answers: (_person, text) => text,",
      },
    ],
  },
  {
    name: "events that wait to be published lose an erased person",
    changes: [
      {
        file: "services/registry/persons/erase-person.ts",
        from: "items.filter(({ bytes }) => person.isMentionedInBytes(bytes))",
        to: "items.filter(() => false)",
      },
    ],
  },
  {
    model: "triggers",
    name: "an erasure makes the event the head that follows an erased one",
    focus: "an owner is erased",
    changes: [
      {
        file: "services/registry/mongo/triggers/skip-events.ts",
        from: "      await promoteNext(entries, Array.from(queues.values()), databaseTime, session);\n",
        to: "",
      },
    ],
  },
  {
    model: "triggers",
    name: "a settled head makes the event the head that follows it",
    changes: [
      {
        file: triggerQueue,
        from: "await promoteNext(this.#entries, followed,",
        to: "await promoteNext(this.#entries, [],",
      },
    ],
  },
  {
    model: "triggers",
    name: "a claim changes a trigger only in the version that it read",
    focus: "two registries lease events",
    changes: [{ file: triggerQueue, from: "version: trigger.version, disabled: null }", to: "disabled: null }" }],
  },
  {
    model: "triggers",
    name: "a result counts only with the token of the latest lease",
    focus: "results are reported late",
    changes: [
      {
        file: leases,
        from: "return document?.lease?.token === claim.token ?",
        to: "return document?.lease !== undefined ?",
      },
      { file: triggerQueue, from: "token: lease.token }", to: 'token: document.lease?.token ?? "" }' },
    ],
  },
  {
    model: "triggers",
    name: "the write of a result compares the token of the lease",
    focus: "results are reported late",
    changes: [
      { file: leases, from: "...claimedBy(end), ...end.condition", to: "_id: end.id, ...end.condition" },
      { file: triggerQueue, from: "Array.from(held.keys())", to: "settled" },
    ],
  },
  {
    model: "triggers",
    name: "a claim of several documents leases each only if it has not changed since it was read",
    focus: "sends what a frozen one leases",
    changes: [
      { file: leases, from: "{ ...condition, $expr: hasEnded(this.#now) }", to: "{ $expr: hasEnded(this.#now) }" },
    ],
  },
  {
    model: "triggers",
    name: "times of triggers follow the database's clock when it is set back",
    focus: "the database's clock is set back",
    changes: [{ file: triggerQueue, from: "Math.abs(now - this.#watchedAt) >= watchEveryMs", to: "now < 0" }],
  },
  {
    model: "triggers",
    name: "a lease that was granted since the clock was set back occupies a slot for as long as it lasts",
    focus: "set back while a registry admits",
    changes: [
      {
        file: "services/registry/mongo/triggers/follow-clock.ts",
        from: '$min: ["$$this.until", leases.nextEnd()]',
        to: '$subtract: ["$$this.until", earlierMs]',
      },
    ],
  },
  {
    model: "triggers",
    name: "a head from before the clock was set back stays fresh until its due time is corrected",
    focus: "set back while a registry admits",
    changes: [
      {
        file: "services/registry/mongo/triggers/admit-events.ts",
        from: "$cond: [isSeen,",
        to: "$cond: [true,",
      },
    ],
  },
  {
    model: "feed",
    name: "a store's clock is locked until the changes that it timed are visible",
    changes: [
      {
        file: "services/registry/mongo/certificates/store-clock.ts",
        from: '{ session, returnDocument: "after" }',
        to: '{ session: undefined as unknown as ClientSession, returnDocument: "after" }',
      },
    ],
  },
  {
    model: "feed",
    name: "a change is acknowledged once a majority has it",
    focus: "the primary fails over while",
    changes: [
      {
        file: "services/registry/mongo/driver/run-transaction.ts",
        from: 'writeConcern: { w: "majority", journal: true, wtimeoutMS },',
        to: "writeConcern: { w: 1, journal: true },",
      },
    ],
  },
  {
    model: "feed",
    name: "a transaction that was rolled back runs again",
    focus: "the primary fails over",
    changes: [
      {
        file: "services/registry/mongo/driver/run-transaction.ts",
        from: "await session.commitTransaction();",
        to: "await session.commitTransaction().catch((error: unknown) => {\n      if (!isTransient(error) || clock.now() >= commitUntil) throw error;\n    });",
      },
    ],
  },
  {
    model: "feed",
    name: "a page shows only changes that a majority has",
    focus: "the primary fails over while",
    changes: [
      {
        file: "services/registry/mongo/driver/read-snapshot.ts",
        from: 'read({ readConcern: { level: "snapshot" } });',
        to: 'read({ readConcern: { level: "local" as "snapshot" } });',
      },
    ],
  },
  {
    model: "feed",
    name: "a request that is repeated with its idempotency key changes nothing",
    changes: [
      {
        file: "services/registry/certificates/idempotent.ts",
        from: "if (first?.answer !== undefined) return",
        to: "if (first?.answer === null) return",
      },
    ],
  },
  {
    model: "feed",
    name: "only the first claim of an event is granted",
    changes: [
      {
        file: "services/registry/mongo/deliveries/mongo-deliveries.ts",
        from: "isNew: isFirst && !taken.has(eventId),",
        to: "isNew: isFirst,",
      },
    ],
  },
  {
    model: "feed",
    name: "one event of a certificate is in flight at a time",
    changes: [
      {
        file: "services/registry/outbox/store-window.ts",
        from: " && !busy.has(entry.certificateId);",
        to: ";",
      },
    ],
  },
  {
    model: "feed",
    name: "a relay reconciles its windows with the outbox",
    focus: "NATS loses notifications",
    changes: [{ file: "services/registry/outbox/relay.ts", from: "    this.#reconciler.begin();\n", to: "" }],
  },
  {
    model: "feed",
    name: "a relay that takes partitions over publishes the events that another one has taken",
    focus: "a registry is killed",
    changes: [
      {
        file: "services/registry/outbox/relayed-partitions.ts",
        from: "    windows.noteBacklog(stores.filter((storeId) => begun.includes(partitionOf(storeId))));\n",
        to: "",
      },
    ],
  },
  {
    model: "feed",
    name: "a page does not mix the times before and after a change",
    focus: "reads take long",
    changes: [
      {
        file: "services/registry/mongo/driver/read-snapshot.ts",
        from: 'read({ readConcern: { level: "snapshot" } });',
        to: 'read({ readConcern: { level: "majority" as "snapshot" } });',
      },
    ],
  },
  {
    model: "feed",
    name: "an admission from before the clock was set back leaves the window in time",
    focus: "clock is set back",
    changes: [
      {
        file: admissionPipelines,
        from: 'return { $cond: [{ $gt: [toMs(timeAt(-1)), toMs(at)] }, moved, "$admitted"] };',
        to: 'return { $cond: [{ $lt: [toMs(at), 0] }, moved, "$admitted"] };',
      },
      {
        file: admissionPipelines,
        from: 'cond: { $lte: [toMs("$$this.at"), toMs("$at")] }',
        to: "cond: true",
      },
    ],
  },
  {
    model: "feed",
    name: "a decision from before the clock was set back does not stop the clock",
    focus: "clock is set back",
    changes: [
      {
        file: admissionPipelines,
        from: "{ $gt: [toMs(last), addMs(now, operationTimeLimitMs)] }",
        to: "{ $lt: [toMs(last), 0] }",
      },
    ],
  },
  {
    model: "feed",
    name: "an admission takes a place in the window for its whole length",
    changes: [{ file: admissionPipelines, from: "addMs(at, -windowMs)", to: "addMs(at, -0.8 * windowMs)" }],
  },
  {
    model: "feed",
    name: "the admissions of other requests stay in the window",
    changes: [
      {
        file: admissionPipelines,
        from: '{ $concatArrays: ["$admitted", newlyAdmitted] }',
        to: '{ $concatArrays: [{ $slice: ["$admitted", -2] }, newlyAdmitted] }',
      },
    ],
  },
  {
    model: "feed",
    name: "an import is continued by another replica after a crash",
    focus: "a registry is killed",
    changes: [
      {
        file: "services/registry/imports/import-runner.ts",
        from: "    pollMs,\n",
        to: "    pollMs: pollMs * 1_000,\n",
      },
    ],
  },
  {
    model: "feed",
    name: "an event that an erasure withdraws is skipped, not interrupted",
    changes: [
      {
        file: "services/registry/deliveries/settle-unsent.ts",
        from: 'state === "new"',
        to: "false",
      },
    ],
  },
  {
    model: "feed",
    name: "an event that seems lost is published again before later ones of its certificate",
    focus: "pending events are sent",
    changes: [
      {
        file: "services/registry/outbox/store-windows.ts",
        from: "for (const eventId of this.#windows.get(storeId)?.inFlight ?? []) this.#storeOfInFlight.delete(eventId);\n    this.#windows.delete(storeId);\n    this.noteBacklog([storeId]);",
        to: "this.settle([...(this.#windows.get(storeId)?.inFlight ?? [])]);",
      },
    ],
  },
  {
    model: "feed",
    name: "an erasure deletes the files of imports",
    changes: [
      {
        file: "services/registry/mongo/persons/mongo-personal-data.ts",
        from: "await importParts.deleteMany(ofImports, limited);",
        to: "",
      },
    ],
  },
  {
    model: "feed",
    name: "an erasure covers the certificates that an import issues meanwhile",
    changes: [
      {
        file: "services/registry/persons/erase-person.ts",
        from: "await data.deleteImports(storeId, importsBefore, !isDryRun) : 0;",
        to: "(await data.deleteImports(storeId, importsBefore, !isDryRun)) * 0 : 0;",
      },
    ],
  },
  {
    model: "feed",
    name: "serial numbers from after a backup are not assigned again after its restore",
    focus: "a backup is restored",
    changes: [
      {
        file: "services/registry/mongo/backup/finish-restore.ts",
        from: "if (skipSerials > 0) ",
        to: "if (skipSerials < 0) ",
      },
    ],
  },
  {
    model: "feed",
    name: "an event is not sent if a restore may have lost its claim",
    focus: "a backup is restored",
    changes: [
      {
        file: "services/registry/deliveries/claim-deliveries.ts",
        from: "if (epoch !== undefined) return !sendableEpochs.has(epoch);",
        to: "if (epoch !== undefined) return epoch === undefined && sendableEpochs.has(epoch);",
      },
      {
        file: "services/registry/mongo/backup/finish-restore.ts",
        from: 'pending === "interrupt" ? await interruptEvents',
        to: "pending === undefined ? await interruptEvents",
      },
    ],
  },
  {
    model: "feed",
    name: "a restore begins a new epoch of each store's feed",
    focus: "a backup is restored",
    changes: [
      {
        file: "services/registry/mongo/backup/finish-restore.ts",
        from: "if (renewals.length > 0) await",
        to: "if (renewals.length < 0) await",
      },
    ],
  },
  {
    model: "webhooks",
    name: "each attempt has a token of its own",
    changes: [
      {
        file: "services/notifier/consumer/claim-event.ts",
        from: "const attemptToken = randomUUID();",
        to: 'const attemptToken = "attempt";',
      },
    ],
  },
  {
    model: "webhooks",
    name: "a claim that another attempt holds is not granted",
    changes: [
      {
        file: "services/registry/deliveries/claim-deliveries.ts",
        from: 'if (state !== "granted") return',
        to: 'if (state !== "granted" && state !== "in_flight") return',
      },
    ],
  },
  {
    model: "webhooks",
    name: "an outcome is reported until it is stored",
    changes: [
      {
        file: "services/notifier/consumer/handle-event.ts",
        from: "const isFinal = (error: unknown) => permanentErrors.includes(toServiceError(error).code);",
        to: "const isFinal = () => true;",
      },
    ],
  },
  {
    model: "webhooks",
    name: "a message is acknowledged after its outcome is stored",
    changes: [
      {
        file: "services/notifier/consumer/handle-event.ts",
        from: 'const isRecorded = await inChildSpan("record outcome", {}, () => recordUntilStored(report, deps, signal));',
        to: "const isRecorded = recordUntilStored(report, deps, signal) !== undefined;",
      },
    ],
  },
  {
    model: "webhooks",
    name: "a claim whose reply is lost is repeated",
    changes: [
      {
        file: "services/notifier/consumer/claim-event.ts",
        from: "return isPermanent || !mayBeStored || steadyClock.now() >= giveUpAt;",
        to: "return true;",
      },
    ],
  },
  {
    model: "webhooks",
    name: "an attempt that repeats its claim has it",
    changes: [
      {
        file: "services/registry/deliveries/claim-state.ts",
        from: '  if (attemptToken !== "" && claim.attemptToken === attemptToken) return "resumable";\n',
        to: "",
      },
    ],
  },
  {
    model: "webhooks",
    name: "a claim counts as abandoned only after a minute",
    changes: [
      {
        file: "services/registry/deliveries/claim-state.ts",
        from: 'return now.getTime() - claim.claimedAt.getTime() < claimLifeMs ? "in_flight"',
        to: 'return now.getTime() - claim.claimedAt.getTime() < 0 ? "in_flight"',
      },
    ],
  },
  {
    model: "webhooks",
    name: "an outcome is final",
    changes: [
      {
        file: "services/registry/mongo/deliveries/mongo-deliveries.ts",
        from: "const filter = { _id: eventId, outcome: null, ...(ifClaimedAt",
        to: "const filter = { _id: eventId, ...(ifClaimedAt",
      },
    ],
  },
  {
    model: "webhooks",
    name: "one event of a certificate is in the stream at a time",
    changes: [
      { file: "services/registry/outbox/store-window.ts", from: " && !busy.has(entry.certificateId);", to: ";" },
    ],
  },
  {
    model: "webhooks",
    name: "slow stores and stores of unknown latency have a bounded pool",
    focus: "no fault happens",
    changes: [
      {
        file: "services/notifier/consumer/store-concurrency-limiter.ts",
        from: "return pool.active < pool.max && unknown.active + slow.active < unknown.max + slow.max;",
        to: "return true;",
      },
    ],
  },
  {
    model: "webhooks",
    name: "a consumer that NATS has lost is created again",
    focus: "NATS loses its storage",
    changes: [
      {
        file: "services/notifier/consumer/pull-partition.ts",
        from: '    if (reason === "missing") await replaceMissing();\n',
        to: "",
      },
    ],
  },
  {
    model: "webhooks",
    name: "events that NATS has lost are published again",
    focus: "NATS loses its storage",
    changes: [
      {
        file: "services/registry/outbox/start-relay.ts",
        from: "    followReconnects(connection, () => relay.restart(), logger);\n",
        to: "",
      },
    ],
  },
  {
    model: "edge",
    name: "concurrent requests share refusals, but no admission",
    changes: [
      {
        file: "services/edge/limits/shared-refusals.ts",
        from: "if (this.#isRefusal(response)) refusal = response;",
        to: "refusal = response;",
      },
    ],
  },
  {
    model: "edge",
    name: "an admission leaves the window",
    changes: [
      { file: admissionPipelines, from: "{ admitted: inWindow(policy, at) }", to: '{ admitted: "$admitted" }' },
    ],
  },
  {
    model: "edge",
    name: "a request that is refused takes no place",
    changes: [
      {
        file: admissionPipelines,
        from: 'const newlyAdmitted = { $cond: [{ $eq: ["$group.new", []] }, [], [{ at, ids: "$group.new" }]] };',
        to: 'const newlyAdmitted = { $cond: [{ $eq: ["$group.others", []] }, [], [{ at, ids: "$group.others" }]] };',
      },
    ],
  },
  {
    model: "edge",
    name: "the edge returns the place of a request whose reply it did not get",
    focus: "a registry is paused",
    changes: [
      {
        file: "services/edge/registry-client/list-client.ts",
        from: "if (mayHoldPlace(error)) returns.add",
        to: "if (!mayHoldPlace(error)) returns.add",
      },
    ],
  },
  {
    model: "edge",
    name: "a request without a reply is answered in time",
    changes: [
      {
        file: "services/edge/registry-client/list-exchange/pending-requests.ts",
        from: "after(timeoutMs, () => this.#events.onTimeout(id, sentAt))",
        to: "after(timeoutMs, () => void sentAt)",
      },
    ],
  },
  {
    model: "edge",
    name: "a cursor continues right after its page",
    changes: [
      {
        file: "services/edge/certificates/list-certificates.ts",
        from: "positionMs: timestampMs(next), filters",
        to: "positionMs: timestampMs(next) + 1_000, filters",
      },
    ],
  },
  {
    model: "edge",
    name: "a message of a platform is acknowledged once it is stored",
    focus: "a registry is paused",
    changes: [
      {
        file: "services/edge/connector/receive-webhook.ts",
        from: "connector.receiveMessage(message),",
        to: "connector.receiveMessage(message).catch(() => ({ isDuplicate: false, isDropped: false })),",
      },
    ],
  },
  {
    model: "feed",
    name: "a notifier forgets a message that it has answered",
    changes: [
      {
        file: "services/notifier/consumer/message-dispatcher.ts",
        from: "        this.#inProgress.delete(message);\n",
        to: "",
      },
    ],
  },
  {
    model: "feed",
    name: "a relay forgets an event that is settled",
    changes: [
      {
        file: "services/registry/outbox/store-windows.ts",
        from: "      this.#storeOfInFlight.delete(eventId);\n      const window",
        to: "      const window",
      },
    ],
  },
  {
    model: "edge",
    name: "a known key is looked up, whatever else comes from its network",
    changes: [
      {
        file: "services/edge/limits/key-guard.ts",
        from: "if (this.#known.get(key)) return",
        to: "if (this.#known.get(key) && this.#unknown.get(key)) return",
      },
    ],
  },
  {
    model: "webhooks",
    name: "a message that waits for its store takes no slot from other stores",
    focus: "no fault happens",
    changes: [
      {
        file: "services/notifier/consumer/message-dispatcher.ts",
        from: "    slot.release();\n    const mayWait",
        to: "    const mayWait",
      },
    ],
  },
  {
    model: "webhooks",
    name: "the kind of an outcome follows from the receiver's status",
    changes: [
      {
        file: "services/notifier/webhook/classify-status.ts",
        from: "if (status <= 299)",
        to: "if (status <= 399)",
      },
    ],
  },
  {
    model: "feed",
    name: "edition numbers are read in the transaction that assigns them",
    changes: [
      {
        file: "services/registry/mongo/certificates/read-state.ts",
        from: '"variants.sku": { $in: skus } }, options)',
        to: '"variants.sku": { $in: skus } }, limited)',
      },
    ],
  },
  {
    model: "feed",
    name: "only an event that NATS refuses is quarantined",
    focus: "NATS elects a leader",
    changes: [
      {
        file: "services/registry/outbox/publish-or-quarantine.ts",
        from: "      if (!(error instanceof PublishRefusal)) throw error;\n",
        to: "",
      },
    ],
  },
  {
    model: "webhooks",
    name: "the previous secret still signs messages after the switch of a rotation",
    focus: "the signing secret is rotated",
    changes: [
      {
        file: "services/registry/secrets/rotate-secrets.ts",
        from: 'others: [{ role: "previous", secret: active, until: null }] };',
        to: "others: [] };",
      },
    ],
  },
  {
    model: "webhooks",
    name: "an event that the receiver of a trigger refuses is sent again",
    focus: "events are sent to triggers, too",
    changes: [
      {
        file: "services/registry/triggers/record-trigger-attempts.ts",
        from: 'if (decision.kind === "retry") return decision.at;',
        to: 'if (decision.kind === "retry") return "given_up";',
      },
    ],
  },
  {
    model: "webhooks",
    name: "a message is sent only while its claim lasts",
    focus: "about to send a message is paused",
    changes: [
      {
        file: "services/notifier/consumer/handle-event.ts",
        from: "isValid: () => ageMs() < answer.sendWithinMs",
        to: "isValid: () => ageMs() >= 0",
      },
    ],
  },
  {
    model: "feed",
    name: "an event that can be sent is not settled unsent",
    changes: [
      {
        file: "services/registry/deliveries/claim-state.ts",
        from: 'return now.getTime() - claim.claimedAt.getTime() < claimLifeMs ? "in_flight" : "interrupted";',
        to: 'return now.getTime() - claim.claimedAt.getTime() < 0 ? "in_flight" : "interrupted";',
      },
    ],
  },
  {
    model: "triggers",
    name: "a trigger whose receiver hangs leaves half of its store's slots to others",
    focus: "the receiver of the first trigger hangs",
    changes: [
      {
        file: "services/registry/triggers/claim-trigger-deliveries.ts",
        from: "export const triggerConcurrencyMax = 4;",
        to: "export const triggerConcurrencyMax = 8;",
      },
    ],
  },
  {
    model: "feed",
    name: "an import issues each unit once",
    focus: "a registry is killed while it issues a file",
    changes: [
      {
        file: "services/registry/imports/issue-batches.ts",
        from: "isImport: true, actor };",
        to: 'isImport: true, actor, idempotencyKey: "" };',
      },
      {
        file: "services/registry/certificates/issue-certificates.ts",
        from: "const issueKey = issueKeyOf(item);",
        to: "const issueKey = null;",
      },
    ],
  },
  {
    model: "webhooks",
    name: "a trigger whose receiver answers 410 is disabled",
    focus: "events are sent to triggers, too",
    changes: [
      {
        file: "services/registry/triggers/retry-policy.ts",
        from: "const goneStatus = 410;",
        to: "const goneStatus = 411;",
      },
    ],
  },
  {
    model: "webhooks",
    name: "the replaced secret of a trigger still signs its messages",
    focus: "events are sent to triggers, too",
    changes: [
      {
        file: "services/registry/secrets/rotate-secrets.ts",
        from: "others: [replaced, ...unexpired(others, now)]",
        to: "others: unexpired(others, now)",
      },
    ],
  },
  {
    model: "feed",
    name: "a migration is finished only after a pass without registries that write the old form",
    focus: "documents are migrated during a rolling update",
    changes: [
      {
        file: "services/registry/mongo/migrations/run-migrations.ts",
        from: "documentVersion: { $lt: version } })) === null;",
        to: "documentVersion: { $lt: version } })) !== undefined;",
      },
    ],
  },
];
