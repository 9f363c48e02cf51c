import { duration, setText } from "./elements.js";

// The page shows how an order travels: each stage lights up once the order has reached it.

const title = document.getElementById("journey-title");
const text = document.getElementById("journey-text");
const stages = [...document.querySelectorAll("#stages > li")];
const results = { order: "issued", refund: "revoked", cancellation: "revoked" };
const noOrder = { title: title.textContent, text: text.textContent };

let shownJourney;

/** Shows the latest action of an order: what it did, and how far its effect has come. */
export function showJourney(order, mirror) {
  if (order === undefined) {
    // As before the first order: a shop that was restarted no longer knows its orders.
    setText(title, noOrder.title);
    setText(text, noOrder.text);
    darken();
    return;
  }
  const { journey } = order;
  if (journey === null) return;
  setText(title, `Order ${order.name}, ${order.state}`);
  setText(text, sentence(order, mirror));
  const isNew = shownJourney !== `${order.id} ${journey.at}`;
  shownJourney = `${order.id} ${journey.at}`;
  if (isNew) darken();
  const times = [0, journey.edgeMs, journey.registryMs, journey.receiverMs, journey.mirrorMs];
  const awaited = times.indexOf(null);
  stages.forEach((stage, index) => {
    const isReached = times[index] !== null;
    stage.classList.toggle("reached", isReached);
    stage.classList.toggle("awaited", index === awaited);
    stage.dataset.time = isReached && index > 0 ? `+${duration(times[index])}` : "";
  });
}

/** Ends all transitions, so that the next journey starts in the dark. */
function darken() {
  for (const stage of stages) {
    stage.classList.remove("reached", "awaited");
    stage.dataset.time = "";
  }
  void document.body.offsetWidth;
}

const advice =
  "Open the delivery log in the store’s settings: it shows the receiver’s answers. " +
  "A 401 means that the receiver’s file has another signing secret than the settings.";

function sentence({ buyer, journey, sent }, mirror) {
  const { kind, count, edgeMs, registryMs, receiverMs, mirrorMs, isOverdue } = journey;
  const certificates = count === 1 ? "certificate" : `${count} certificates`;
  const last = sent.at(-1);
  if (edgeMs === null && last?.status !== undefined && last.status !== 200)
    return `The edge did not take the webhook (${last.status === 0 ? "no answer" : `status ${last.status}`}).`;
  if (edgeMs === null) return `${buyer}: the platform is sending the webhook …`;
  if (isOverdue && registryMs === null)
    return `${buyer}: the messages about the ${certificates} have not all arrived. ${advice}`;
  if (isOverdue)
    return `${buyer}: ${certificates} ${results[kind]}, but the receiver has not accepted all messages. ${advice}`;
  if (registryMs === null || receiverMs === null) return `${buyer}: waiting for the ${certificates} …`;
  const done = `${buyer}: ${certificates} ${results[kind]} and verified`;
  if (mirrorMs !== null) return `${done}; in the mirror after ${duration(mirrorMs)}.`;
  return mirror.isPaused ? `${done}. The mirror is paused and missed the message.` : `${done} …`;
}
