import { element, setText, showItems } from "./elements.js";
import { showJourney } from "./journey-view.js";
import { showOrder } from "./order-view.js";

const warning = document.getElementById("warning");
const orderList = document.getElementById("orders");
const euros = new Intl.NumberFormat("en", { style: "currency", currency: "EUR", minimumFractionDigits: 0 });

let snapshot = { orders: [], mirror: null };
let selectedId;

function warn(text) {
  warning.hidden = text === "";
  setText(warning, text);
}

async function act(path, body = {}) {
  try {
    const headers = { "content-type": "application/json" };
    const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    const result = await response.json();
    warn(response.ok ? "" : result.message);
    return response.ok ? result : undefined;
  } catch {
    warn("The demo shop does not answer. Is npm start still running?");
    return undefined;
  }
}

function productCard({ id, title, variant, price, editionTotal, picture }) {
  const quantity = element(
    "select",
    { "aria-label": `Number of units of ${title}` },
    ...[1, 2, 3].map((units) => element("option", { value: units }, String(units))),
  );
  const order = element("button", { type: "button", class: "primary" }, "Order");
  order.setAttribute("aria-label", `Order ${title}`);
  order.addEventListener("click", async () => {
    const placed = await act("/orders", { productId: id, quantity: Number(quantity.value) });
    if (placed === undefined) return;
    selectedId = placed.orderId;
    show();
    document.getElementById("journey").scrollIntoView();
  });
  const edition = editionTotal === 0 ? "Open edition" : `Edition of ${editionTotal}`;
  return element(
    "li",
    {},
    element("img", { src: `/pictures/${picture}.svg`, alt: "", width: 400, height: 300 }),
    element(
      "div",
      { class: "product-text" },
      element("h3", {}, title),
      element("p", {}, variant),
      element("p", { class: "edition" }, edition),
    ),
    element("div", { class: "buy" }, element("span", { class: "price" }, euros.format(price)), quantity, order),
  );
}

function show() {
  const { orders, mirror } = snapshot;
  const selected = orders.find(({ id }) => id === selectedId) ?? orders[0];
  showItems(orderList, orders, {
    keyOf: ({ id }) => String(id),
    create: ({ id, name }) => {
      const button = element("button", { type: "button" }, name);
      button.addEventListener("click", () => {
        selectedId = id;
        show();
      });
      return element("li", {}, button);
    },
    update: (item, { id, state }) => {
      item.firstChild.setAttribute("aria-pressed", String(id === selected?.id));
      item.firstChild.className = state.replaceAll(" ", "-");
    },
  });
  orderList.hidden = orders.length < 2;
  showJourney(selected, mirror);
  showOrder(selected, mirror, { act, euros });
}

const events = new EventSource("/events");
events.addEventListener("message", ({ data }) => {
  snapshot = JSON.parse(data);
  show();
});
events.addEventListener("open", () => warn(""));
events.addEventListener("error", () => warn("The connection to the demo shop is interrupted. The page tries again."));

const products = await (await fetch("/products.json")).json();
document.getElementById("products").append(...products.map(productCard));
