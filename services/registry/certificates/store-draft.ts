import type { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { CatalogueProduct } from "../stores/catalogue.ts";
import type { Store } from "../stores/store.ts";
import type { Certificate } from "./certificate.ts";
import { newId } from "./identifiers.ts";
import type { Origin } from "./origin.ts";
import { type RenderSettings, renderCertificate } from "./public-json.ts";

/** What a group of changes has read of its store, with the store's clock held. */
export interface StoreState {
  readonly store: Store;
  /** The highest serial number given away. */
  readonly lastSerial: number;
  /** The times that the group may use as `updatedAt`: unique, increasing, later than all visible ones. */
  readonly timestamps: readonly Date[];
  /** The settings to render with. */
  readonly settings: RenderSettings;
  /** The database's time. */
  readonly now: Date;
  /** Certificates that were asked for, by id. */
  readonly certificates: ReadonlyMap<string, Certificate>;
  /** First answers to requests that were asked for, by request id. */
  readonly answers: ReadonlyMap<string, RequestAnswer>;
  /** Certificates that exist already, by issue key. */
  readonly issued: ReadonlyMap<string, Certificate>;
  /** Products of the catalogue, by SKU. */
  readonly products: ReadonlyMap<string, CatalogueProduct>;
}

/** One event to be told. */
export interface DraftedEvent {
  /** The event's id. */
  readonly id: string;
  readonly type: EventType;
  /** The certificate after the change; its `updatedAt` is when the event occurred. */
  readonly certificate: Certificate;
  readonly origin: Origin;
}

/** A message that somebody wishes to be sent. */
export interface DraftedMessage {
  /** The delivery's id. */
  readonly id: string;
  readonly type: EventType;
  readonly occurredAt: Date;
  /** The certificate to show. */
  readonly certificate: Certificate;
  readonly requestedBy: string;
  /** Its place among the store's events: a timestamp of the draft. */
  readonly at: Date;
}

/** The first answer to a request that may be repeated. */
export interface RequestAnswer {
  /** What the request asked for; another request must not get its answer. */
  readonly fingerprint: string;
  /** JSON. */
  readonly answer: string;
}

/** A problem that a buyer reported. */
export interface DraftedReport {
  readonly id: string;
  readonly certificateId: string;
  readonly reportedAt: Date;
  readonly content: string;
  /** Empty when the reporter gave none. */
  readonly reporterEmail: string;
}

/**
 * The changes of one transaction, in memory. Decisions read and write it one after another, each seeing what the ones
 * before it did; nothing here touches the database.
 */
export class StoreDraft {
  readonly store: Store;
  readonly now: Date;
  readonly inserted: Certificate[] = [];
  /** Changed certificates, by id, as they are at the end. */
  readonly updated = new Map<string, Certificate>();
  readonly reports: DraftedReport[] = [];
  /** Answers to remember, by request id. */
  readonly answers = new Map<string, RequestAnswer>();
  readonly events: DraftedEvent[] = [];
  readonly messages: DraftedMessage[] = [];
  /** How many numbers of its edition each touched product has given away. */
  readonly editionsIssued = new Map<string, number>();
  readonly #state: StoreState;
  readonly #issued: Map<string, Certificate>;
  readonly #rendered = new Map<Certificate, Buffer>();
  #timestampsUsed = 0;
  #lastSerial: number;

  constructor(state: StoreState) {
    this.store = state.store;
    this.now = state.now;
    this.#state = state;
    this.#issued = new Map(state.issued);
    this.#lastSerial = state.lastSerial;
  }

  /** The highest serial number given away, with this draft's. */
  get lastSerial(): number {
    return this.#lastSerial;
  }

  /** Events and messages so far. */
  get eventCount(): number {
    return this.events.length + this.messages.length;
  }

  /** Whether there is nothing to write. */
  get isEmpty(): boolean {
    return this.eventCount === 0;
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

  productWithSku(sku: string): CatalogueProduct | undefined {
    return this.#state.products.get(sku);
  }

  /** The next number of a product's edition, or undefined when it is sold out. */
  takeEditionNumber(product: CatalogueProduct, total: number): number | undefined {
    const issued = this.editionsIssued.get(product.id) ?? product.editionIssued;
    if (issued >= total) return undefined;
    this.editionsIssued.set(product.id, issued + 1);
    return issued + 1;
  }

  /** The next time that a change may carry. @throws Error when the group did not reserve enough of them */
  nextTimestamp(): Date {
    const timestamp = this.#state.timestamps[this.#timestampsUsed++];
    if (timestamp === undefined) throw new Error("the group reserved too few times");
    return timestamp;
  }

  /** The next serial number of the store. */
  takeSerial(): number {
    this.#lastSerial++;
    return this.#lastSerial;
  }

  /** A certificate's public JSON, as of this transaction. */
  render(certificate: Certificate): Buffer {
    // Asked for twice: for the answer and for the event.
    const rendered = this.#rendered.get(certificate);
    if (rendered !== undefined) return rendered;
    const json = renderCertificate(certificate, this.#state.settings, this.now);
    this.#rendered.set(certificate, json);
    return json;
  }

  /** A new certificate, and the event that tells of it. */
  insert(certificate: Certificate, type: EventType, origin: Origin): void {
    this.inserted.push(certificate);
    if (certificate.issueKey !== null) this.#issued.set(certificate.issueKey, certificate);
    this.events.push({ id: newId("evt"), type, certificate, origin });
  }

  /**
   * A changed certificate, and the event that tells of it.
   *
   * @param certificate carries a timestamp of this draft as its `updatedAt`
   */
  update(certificate: Certificate, type: EventType, origin: Origin): void {
    this.updated.set(certificate.id, certificate);
    this.events.push({ id: newId("evt"), type, certificate, origin });
  }

  /** A message to send, which changes nothing. */
  send(message: Omit<DraftedMessage, "at">): void {
    this.messages.push({ ...message, at: this.nextTimestamp() });
  }
}
