import { duration, element, indented, setText, showItems } from "./elements.js";

// The details of the selected order, below the stage to which they belong.

const itemsOf = (stage) => document.querySelector(`#stages > li[data-stage="${stage}"] .items`);
const places = Object.fromEntries(
  ["shop", "edge", "registry", "receiver", "mirror"].map((stage) => [stage, itemsOf(stage)]),
);
const mirrorPlace = document.getElementById("mirror");

/** Shows an order in all stages, and the mirror. */
export function showOrder(order, mirror, { act, euros }) {
  if (mirror !== null) showMirror(mirror, act);
  if (order === undefined) {
    for (const place of Object.values(places)) place.replaceChildren();
    return;
  }
  const { id } = order;
  const keyed = (keyOf) => (item) => `${id} ${keyOf(item)}`;
  showItems(places.shop, [order], {
    keyOf: keyed(() => "order"),
    create: () => orderCard(order, act, euros),
    update: updateOrderCard,
  });
  // The newest first.
  const sent = order.sent.toReversed();
  showItems(places.edge, sent, {
    keyOf: keyed(({ webhookId }) => webhookId),
    create: (message) => sentCard(message, () => act("/orders/repeat", { orderId: id })),
    update: (card, message) => updateSentCard(card, message, message === sent[0]),
  });
  showItems(places.registry, order.certificates, {
    keyOf: keyed((certificate) => certificate.id),
    create: certificateCard,
    update: updateCertificateCard,
  });
  showItems(places.receiver, order.received.toReversed(), {
    keyOf: keyed(({ deliveryId }) => deliveryId),
    create: receivedCard,
  });
  showItems(places.mirror, order.rows, {
    keyOf: keyed((row) => row.id),
    create: () => element("div", { class: "row" }, element("b"), element("span"), element("p", { class: "origin" })),
    update: updateRow,
  });
}

function orderCard({ id, product, buyer, quantity, total }, act, euros) {
  const button = (label, path) => {
    const created = element("button", { type: "button" }, label);
    created.addEventListener("click", () => act(path, { orderId: id }));
    return created;
  };
  return element(
    "div",
    { class: "card-item order" },
    element("img", { src: `/pictures/${product.picture}.svg`, alt: "", width: 400, height: 300 }),
    element("b", {}, product.title),
    element("p", {}, `${quantity} × ${product.variant}`),
    element("p", {}, `${buyer}, ${euros.format(total)}`),
    element("p", { class: "state" }),
    element(
      "div",
      { class: "buttons" },
      button(quantity === 1 ? "Refund" : "Refund one", "/orders/refund"),
      button("Cancel order", "/orders/cancel"),
    ),
  );
}

function updateOrderCard(card, { state, unitsLeft }) {
  const label = card.querySelector(".state");
  setText(label, state);
  label.className = `state ${state.replaceAll(" ", "-")}`;
  for (const button of card.querySelectorAll("button")) button.disabled = unitsLeft === 0;
}

function jsonDetails(label, json) {
  // Focusable, because it may scroll.
  const code = element(
    "pre",
    { tabIndex: 0, role: "region", "aria-label": label },
    element("code", {}, indented(json)),
  );
  return element("details", {}, element("summary", {}, "JSON body"), code);
}

function header(name, value) {
  return element("p", { class: "header" }, element("span", {}, name), element("code", {}, value));
}

function sentCard({ topic, signature, body }, repeat) {
  const again = element("button", { type: "button", class: "again" }, "Send it again");
  again.addEventListener("click", repeat);
  return element(
    "div",
    { class: "card-item sent" },
    element("b", {}, topic),
    element("p", { class: "answer" }),
    header("X-Shopify-Hmac-Sha256", signature),
    jsonDetails(`Body of ${topic}`, body),
    again,
  );
}

function updateSentCard(card, { status, answeredMs, times }, isLast) {
  const answer = card.querySelector(".answer");
  const outcome = status === 0 ? "no answer" : `${status} in ${duration(answeredMs ?? 0)}`;
  const repeated = times > 1 ? `; sent ${times} times, counted once` : "";
  setText(answer, status === undefined ? "waiting for the answer …" : `${outcome}${repeated}`);
  answer.className = `answer ${status === undefined || status === 200 ? "" : "failed"}`;
  card.querySelector(".again").hidden = !isLast;
}

function certificateCard({ verifyUrl, serial }) {
  return element(
    "div",
    { class: "card-item certificate" },
    element("small", {}, "Certificate"),
    element("b", {}, serial),
    element("p", { class: "edition" }),
    element("p", { class: "state" }),
    element(
      "a",
      { href: verifyUrl, target: "_blank", rel: "noopener", "aria-label": `Open certificate ${serial}` },
      "Open",
    ),
  );
}

function updateCertificateCard(card, { status, edition, revokedReason }) {
  setText(card.querySelector(".edition"), edition ?? "no edition");
  const label = card.querySelector(".state");
  setText(label, revokedReason === null ? status : `${status}: ${revokedReason}`);
  label.className = `state ${status}`;
}

function receivedCard({ event, serial, signature, body, deliveryId }) {
  return element(
    "div",
    { class: "card-item received" },
    element("b", {}, `${event}: ${serial}`),
    element("p", { class: "verified" }, "signature verified"),
    header("X-Service-Signature", signature),
    header("X-Service-Delivery", deliveryId),
    jsonDetails(`Body of ${event}, certificate ${serial}`, body),
  );
}

function updateRow(row, { serial, status, source }) {
  const [number, state, origin] = row.children;
  setText(number, serial);
  setText(state, status);
  state.className = `state ${status}`;
  setText(origin, source === "sync" ? "read by sync()" : "from the message");
}

function showMirror({ isPaused, missed, count, isCatchingUp, lastCatchUp, problem }, act) {
  if (mirrorPlace.childElementCount === 0) {
    const button = element("button", { type: "button" });
    button.addEventListener("click", () => act(button.dataset.action));
    mirrorPlace.append(element("p", { class: "count" }), element("p", { class: "catch-up" }), button);
  }
  const [total, catchUp, button] = mirrorPlace.children;
  setText(total, `${count} certificates in all`);
  const read = lastCatchUp === null ? "" : `sync() read ${lastCatchUp.read} changes in ${duration(lastCatchUp.tookMs)}`;
  const paused = `paused: ${missed} ${missed === 1 ? "message" : "messages"} missed`;
  setText(catchUp, isCatchingUp ? "sync() is reading the list …" : (problem ?? (isPaused ? paused : read)));
  mirrorPlace.className = isPaused ? "paused" : "";
  button.dataset.action = isPaused ? "/mirror/resume" : "/mirror/pause";
  setText(button, isPaused ? "Resume and catch up" : "Pause the mirror");
}
