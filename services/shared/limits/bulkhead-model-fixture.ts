import { expect } from "vitest";
import { Bulkhead, type BulkheadBounds, type Ticket } from "./bulkhead.ts";

/** Performs operations on a bulkhead and checks its invariants after each of them. */
export class BulkheadModel {
  readonly #bounds: BulkheadBounds;
  readonly #bulkhead: Bulkhead<Ticket>;
  readonly #inFlight: Ticket[] = [];
  readonly #waiting: Ticket[] = [];
  /** By store: number of other stores' queued tickets that have started, while it waited, since its own last start. */
  readonly #passedOver = new Map<string, number>();
  #passedOverMax = 0;

  constructor(bounds: BulkheadBounds) {
    this.#bounds = bounds;
    this.#bulkhead = new Bulkhead<Ticket>(bounds);
  }

  arrive(store: string): void {
    const ticket = { store };
    const decision = this.#bulkhead.arrive(ticket);
    if (decision === "started") this.#inFlight.push(ticket);
    if (decision === "queued") this.#waiting.push(ticket);
    this.#check();
  }

  /**
   * Ends the work of a ticket in flight, and starts the waiting tickets that fit.
   *
   * @param pick index of the ticket, modulo the number of tickets in flight
   */
  finish(pick: number): void {
    const ticket = takeOne(this.#inFlight, pick);
    if (ticket === undefined) return;
    this.#bulkhead.finish(ticket);
    this.#startWaiting();
    this.#check();
  }

  /** Removes a waiting ticket. @param pick index of the ticket, modulo the number of waiting tickets */
  leave(pick: number): void {
    const ticket = takeOne(this.#waiting, pick);
    if (ticket === undefined) return;
    expect(this.#bulkhead.leave(ticket)).toBe(true);
    this.#check();
  }

  /** Ends all work, and checks that no ticket is left. */
  drain(): void {
    while (this.#inFlight.length > 0) this.finish(0);
    expect([this.#waiting.length, this.#bulkhead.waiting, this.#bulkhead.inFlight]).toEqual([0, 0, 0]);
  }

  /** The largest number of other stores' queued tickets that started while a store waited for its next start. */
  get passedOverMax(): number {
    return this.#passedOverMax;
  }

  #startWaiting(): void {
    for (let ticket = this.#bulkhead.startNext(); ticket !== undefined; ticket = this.#bulkhead.startNext()) {
      const { store } = ticket;
      // Each store's tickets start in the order of their arrival.
      expect(ticket).toBe(this.#waiting.find((other) => other.store === store));
      this.#waiting.splice(this.#waiting.indexOf(ticket), 1);
      this.#inFlight.push(ticket);
      const others = new Set(this.#waiting.map((other) => other.store));
      others.delete(store);
      this.#passedOver.set(store, 0);
      for (const other of others) {
        const starts = (this.#passedOver.get(other) ?? 0) + 1;
        this.#passedOver.set(other, starts);
        this.#passedOverMax = Math.max(this.#passedOverMax, starts);
      }
    }
  }

  #check(): void {
    const inFlightOf = (store: string) => this.#inFlight.filter((ticket) => ticket.store === store).length;
    const { inFlightMax, inFlightPerStoreMax, waitingMax } = this.#bounds;
    expect([this.#bulkhead.inFlight, this.#bulkhead.waiting]).toEqual([this.#inFlight.length, this.#waiting.length]);
    expect(this.#inFlight.length).toBeLessThanOrEqual(inFlightMax);
    expect(this.#waiting.length).toBeLessThanOrEqual(waitingMax);
    for (const { store } of this.#inFlight) expect(inFlightOf(store)).toBeLessThanOrEqual(inFlightPerStoreMax);
    // Work-conserving: a ticket waits only if its store or all stores together are at their bound.
    if (this.#inFlight.length === inFlightMax) return;
    for (const { store } of this.#waiting) expect(inFlightOf(store)).toBe(inFlightPerStoreMax);
  }
}

function takeOne(tickets: Ticket[], pick: number): Ticket | undefined {
  return tickets.splice(pick % Math.max(1, tickets.length), 1)[0];
}
