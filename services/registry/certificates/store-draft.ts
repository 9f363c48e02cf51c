import type { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { CatalogueProduct } from "../values/catalogue-product.ts";
import { newId } from "../values/identifiers.ts";
import type { RenderSettings, Store } from "../values/store.ts";
import type { Certificate } from "./certificate.ts";
import type { ProblemReport } from "./problem-report.ts";
import { renderCertificate } from "./public-json.ts";

/** The stored state on which a store's changes are based. A commit reads it in its transaction. */
export interface StoreState {
  readonly store: Store;
  /** The highest serial number assigned so far, or skipped after a restore. */
  readonly lastSerial: number;
  /** How often an erasure has rewritten the messages from the store's platform. */
  readonly erasures: number;
  /** Reserved `updatedAt` values: unique, increasing, later than all visible ones. */
  readonly timestamps: readonly Date[];
  readonly settings: RenderSettings;
  /** The database's time. */
  readonly now: Date;
  /** The certificates that the changes need, whether listed by id or by order; keyed by id. */
  readonly certificates: ReadonlyMap<string, Certificate>;
  /** Stored answers to earlier requests, by idempotency key. */
  readonly answers: ReadonlyMap<string, RequestAnswer>;
  /** Existing certificates, by issue key. */
  readonly issued: ReadonlyMap<string, Certificate>;
  /** Products of the catalogue, by SKU. */
  readonly products: ReadonlyMap<string, CatalogueProduct>;
  /** The highest number assigned so far in each edition that does not belong to a catalogue product, by series. */
  readonly seriesIssued: ReadonlyMap<string, number>;
  readonly storefront: StorefrontInputs;
  /** The ids of the latest redeliveries that are in progress or were delivered, by event id. */
  readonly resentAs: ReadonlyMap<string, string>;
  /** The number of the store's messages that wait to be sent, at most the largest `needs.waitingMax`. */
  readonly waitingCount: number;
}

/** Inputs of a comparison of an order with its certificates, as the transaction reads them. */
interface StorefrontInputs {
  /** The version of the store's rules. */
  readonly rulesVersion: number;
  /** The versions of the orders' records, by order id. */
  readonly orderVersions: ReadonlyMap<string, number>;
  /** The known tags of products, by product id. */
  readonly tags: ReadonlyMap<string, readonly string[]>;
}

/** Why and by whom a change was made; stored in the certificate's history. */
export interface Origin {
  /** `order`, `manual`, `import`, `refund`, `order_cancelled`, `in_app` or `verification_page`. */
  readonly cause: string;
  readonly actor: string;
}

/** An event to publish. */
interface DraftedEvent {
  readonly id: string;
  readonly type: EventType;
  /** The certificate after the change; its `updatedAt` is when the event occurred. */
  readonly certificate: Certificate;
  readonly origin: Origin;
  /** The trace of the change, as a W3C `traceparent`; the empty string if the trace is not recorded. */
  readonly traceparent: string;
}

/** The changes to a certificate that publish no event but appear in its history. */
export type QuietChange = "link_replaced";

/** An entry in a certificate's history for a change without an event. */
interface DraftedHistory {
  readonly id: string;
  readonly change: QuietChange;
  /** The certificate after the change. */
  readonly certificate: Certificate;
  readonly origin: Origin;
}

/** A message that is sent manually: a test or a redelivery. */
export interface DraftedMessage {
  /** Id of the delivery, with the prefix `tst_` or `agn_`. */
  readonly id: string;
  readonly type: EventType;
  readonly occurredAt: Date;
  readonly certificate: Certificate;
  readonly requestedBy: string;
  /** The id of the listen token whose listeners alone receive the message. Default: the message goes to the webhook. */
  readonly listener?: string | undefined;
  /** Id of the event that the message sends again. Default: none. */
  readonly resends?: string;
  /** Position of the message among the store's events: a reserved timestamp of the draft. */
  readonly at: Date;
  /** The trace of the request, as a W3C `traceparent`; the empty string if the trace is not recorded. */
  readonly traceparent: string;
}

/** The stored answer to an idempotent request, or its progress. */
export interface RequestAnswer {
  /** Digest of the request's content; a request with a different digest must not receive this answer. */
  readonly fingerprint: string;
  /** The result as JSON; absent while only a part of the change is committed. */
  readonly answer?: string;
  /** The result of the committed part as JSON; absent once the change is complete. */
  readonly progress?: string;
}

/**
 * A unit of work: collects the changes of one transaction in memory. Changes run one after another and see the effects
 * of earlier changes; they do not access the database.
 */
export class StoreDraft {
  readonly store: Store;
  readonly now: Date;
  readonly inserted: Certificate[] = [];
  /** Changed certificates in their final state, by id. */
  readonly updated = new Map<string, Certificate>();
  readonly reports: Omit<ProblemReport, "closed">[] = [];
  /** Answers to be stored, by idempotency key. */
  readonly answers = new Map<string, RequestAnswer>();
  readonly events: DraftedEvent[] = [];
  readonly messages: DraftedMessage[] = [];
  /** History entries for changes without an event. */
  readonly quietHistory: DraftedHistory[] = [];
  /** The new `editionIssued` of each product for which this draft assigned an edition number, by product id. */
  readonly editionsIssued = new Map<string, number>();
  /** The new highest number of each edition outside the catalogue in which this draft assigned a number, by series. */
  readonly seriesIssued = new Map<string, number>();
  /** Ids of the orders whose certificates a change other than a reconciliation has issued, revoked or reactivated. */
  readonly ordersToCompare = new Set<string>();
  /** The W3C `traceparent` for the events and messages of the change that is being decided; may be empty. */
  traceparent = "";
  /** Whether the change that is being decided is a reconciliation; see `Change.isReconciliation`. */
  isReconciling = false;
  readonly #state: StoreState;
  readonly #issued: Map<string, Certificate>;
  readonly #rendered = new Map<Certificate, Buffer>();
  #byOrder: ReadonlyMap<string | undefined, readonly Certificate[]> | undefined;
  #timestampsUsed = 0;
  #lastSerial: number;
  #erasures: number;

  constructor(state: StoreState) {
    this.store = state.store;
    this.now = state.now;
    this.#state = state;
    this.#issued = new Map(state.issued);
    this.#lastSerial = state.lastSerial;
    this.#erasures = state.erasures;
  }

  /** The highest serial number assigned so far, including those assigned by this draft. */
  get lastSerial(): number {
    return this.#lastSerial;
  }

  /** How often an erasure has rewritten the messages from the store's platform; see {@link countErasure}. */
  get erasures(): number {
    return this.#erasures;
  }

  /** Number of events, messages and {@link quietHistory} entries so far. */
  get entryCount(): number {
    return this.events.length + this.messages.length + this.quietHistory.length;
  }

  /** Number of the store's messages that wait to be sent, including those of this draft. Needs `needs.waitingMax`. */
  get waitingCount(): number {
    return this.#state.waitingCount + this.events.length + this.messages.length;
  }

  /**
   * Returns the id of the latest redelivery of an event that is in progress or was delivered, including those of this
   * draft; undefined if there is none. Needs `needs.resentEventIds`.
   */
  resentAs(eventId: string): string | undefined {
    return this.messages.findLast(({ resends }) => resends === eventId)?.id ?? this.#state.resentAs.get(eventId);
  }

  /** Whether there is nothing to write. */
  get isEmpty(): boolean {
    if (this.erasures !== this.#state.erasures) return false;
    return this.entryCount === 0 && this.answers.size === 0 && this.updated.size === 0;
  }

  /** Number of reserved timestamps that are not assigned yet. */
  get timestampsLeft(): number {
    return this.#state.timestamps.length - this.#timestampsUsed;
  }

  /** The timestamp that {@link nextTimestamp} assigns next; undefined when none is left. */
  get upcomingTimestamp(): Date | undefined {
    return this.#state.timestamps[this.#timestampsUsed];
  }

  /** Returns whether the database has a document for an idempotency key; a new answer then replaces the document. */
  hasStoredAnswer(idempotencyKey: string): boolean {
    return this.#state.answers.has(idempotencyKey);
  }

  /** Inputs of a comparison of an order with its certificates. `needs` must list the orders and the products. */
  get storefront(): StorefrontInputs {
    return this.#state.storefront;
  }

  certificate(id: string): Certificate | undefined {
    return this.updated.get(id) ?? this.#state.certificates.get(id);
  }

  answerTo(idempotencyKey: string): RequestAnswer | undefined {
    return this.answers.get(idempotencyKey) ?? this.#state.answers.get(idempotencyKey);
  }

  certificateIssuedFor(issueKey: string): Certificate | undefined {
    return this.#issued.get(issueKey);
  }

  /**
   * Returns the certificates of an order, including those of this draft: all if `needs.orderIds` lists the order,
   * otherwise those that `needs.lineIdOrderIds` selects.
   */
  certificatesOfOrder(orderId: string): Certificate[] {
    this.#byOrder ??= Map.groupBy(this.#state.certificates.values(), ({ order }) => order?.id);
    const stored = (this.#byOrder.get(orderId) ?? []).map((one) => this.updated.get(one.id) ?? one);
    return [...stored, ...this.inserted.filter(({ order }) => order?.id === orderId)];
  }

  productWithSku(sku: string): CatalogueProduct | undefined {
    return this.#state.products.get(sku);
  }

  /** Assigns the next number of a product's edition; returns undefined when the edition is sold out. */
  takeEditionNumber(product: CatalogueProduct, total: number): number | undefined {
    const issued = this.editionsIssued.get(product.id) ?? product.editionIssued;
    if (issued >= total) return undefined;
    this.editionsIssued.set(product.id, issued + 1);
    return issued + 1;
  }

  /**
   * Assigns the next number of an edition that does not belong to a catalogue product; returns undefined when the
   * edition is sold out.
   */
  takeSeriesNumber(series: string, total: number): number | undefined {
    const issued = this.seriesIssued.get(series) ?? this.#state.seriesIssued.get(series) ?? 0;
    if (issued >= total) return undefined;
    this.seriesIssued.set(series, issued + 1);
    return issued + 1;
  }

  /** Assigns the next reserved timestamp. @throws Error when all reserved timestamps are used */
  nextTimestamp(): Date {
    const timestamp = this.upcomingTimestamp;
    if (timestamp === undefined) throw new Error("the group reserved too few timestamps");
    this.#timestampsUsed++;
    return timestamp;
  }

  /** Assigns the store's next serial number. */
  takeSerial(): number {
    return ++this.#lastSerial;
  }

  /** Counts an erasure that has rewritten messages. @returns the new number */
  countErasure(): number {
    return ++this.#erasures;
  }

  /** Renders a certificate's public JSON as of this transaction. Memoized: the result and the event both need it. */
  render(certificate: Certificate): Buffer {
    const rendered = this.#rendered.get(certificate);
    if (rendered !== undefined) return rendered;
    const json = renderCertificate(certificate, this.#state.settings, this.now);
    this.#rendered.set(certificate, json);
    return json;
  }

  /** Adds a new certificate and its event. */
  insert(certificate: Certificate, type: EventType, origin: Origin): void {
    this.inserted.push(certificate);
    if (certificate.issueKey !== null) this.#issued.set(certificate.issueKey, certificate);
    this.#makeDue(certificate);
    this.#addEvent(certificate, type, origin);
  }

  /** Adds a changed certificate, whose `updatedAt` must be a timestamp from this draft, and its event. */
  update(certificate: Certificate, type: EventType, origin: Origin): void {
    if (this.certificate(certificate.id)?.status !== certificate.status) this.#makeDue(certificate);
    this.updated.set(certificate.id, certificate);
    this.#addEvent(certificate, type, origin);
  }

  /**
   * Adds a certificate that changed without an event; its `updatedAt` must be a timestamp from this draft.
   *
   * @param recorded the entry in the certificate's history. Default: none
   */
  updateWithoutEvent(certificate: Certificate, recorded?: Pick<DraftedHistory, "change" | "origin">): void {
    this.updated.set(certificate.id, certificate);
    if (recorded !== undefined) this.quietHistory.push({ id: newId("chg"), certificate, ...recorded });
  }

  /** Adds a message, which changes no certificate. */
  send(message: Omit<DraftedMessage, "at" | "traceparent">): void {
    const { traceparent } = this;
    this.messages.push({ ...message, at: this.nextTimestamp(), traceparent });
  }

  #makeDue({ order }: Certificate): void {
    if (order !== null && !this.isReconciling) this.ordersToCompare.add(order.id);
  }

  #addEvent(certificate: Certificate, type: EventType, origin: Origin): void {
    const { traceparent } = this;
    this.events.push({ id: newId("evt"), type, certificate, origin, traceparent });
  }
}
