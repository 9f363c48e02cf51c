// Builds and updates elements without a framework.

/**
 * Creates an element. Properties are set as they are; `class` and names with a hyphen become attributes.
 *
 * @param {string} name
 * @param {Record<string, unknown>} properties
 * @param {...(Node | string)} children
 */
export function element(name, properties = {}, ...children) {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "class" || key.includes("-")) created.setAttribute(key, String(value));
    else created[key] = value;
  }
  created.append(...children);
  return created;
}

/**
 * Makes the children of an element those of a list. An element whose key stays keeps its focus and whether its details
 * are open.
 *
 * @param {Element} parent
 * @param {readonly object[]} items
 * @param {{keyOf: (item: object) => string, create: (item: object) => Element, update?: (element: Element, item: object) => void}} rules
 */
export function showItems(parent, items, { keyOf, create, update }) {
  const present = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  items.forEach((item, index) => {
    const key = keyOf(item);
    const known = present.get(key);
    present.delete(key);
    const child = known ?? create(item);
    child.dataset.key = key;
    update?.(child, item);
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
  });
  for (const child of present.values()) child.remove();
}

/** Sets an element's text if it differs, so that screen readers announce only changes. */
export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/** Returns a duration such as `84 ms` or `1.2 s`. */
export function duration(ms) {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** Returns JSON with line breaks and indentation. */
export function indented(json) {
  return JSON.stringify(JSON.parse(json), null, 2);
}
