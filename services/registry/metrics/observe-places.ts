import { Counter, type Registry } from "prom-client";

/** Callbacks for {@link PlaceReturns}; each receives a number of places. */
interface PlaceObserver {
  readonly onReturned: (count: number) => void;
  readonly onLost: (count: number) => void;
}

/** Registers the counter `registry_places_returned_total`, labelled by result. */
export function observePlaces(metrics: Registry): PlaceObserver {
  const returns = new Counter({
    name: "registry_places_returned_total",
    help: "Rate-limit places of requests that ended with 503, by result: returned, or lost (a lost place counts until it leaves the window)",
    labelNames: ["result"],
    registers: [metrics],
  });
  const count = (result: "returned" | "lost") => {
    // Starts the series at 0, so that rate() includes the first increment.
    returns.inc({ result }, 0);
    return (places: number) => returns.inc({ result }, places);
  };
  return { onReturned: count("returned"), onLost: count("lost") };
}
