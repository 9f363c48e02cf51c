import { type Html, html, raw } from "../../pages/html.ts";
import type { Section } from "../model/settings-page.ts";

const paths: Readonly<Record<Section, string>> = {
  overview: '<path d="M4 13.5a8 8 0 1 1 16 0M12 13.5l3.5-4M4 13.5v3h16v-3"/>',
  certificates: '<path d="M5 4h14v12H5zM8.5 8h7M8.5 11.5h4"/><path d="M14 14.5v6l2-1.6 2 1.6v-6"/>',
  reports: '<path d="M6 21V4M6 5h11l-2.5 3.5L17 12H6"/>',
  storefront:
    '<path d="M5 10v10h14V10M3.500 9l2-5h13l2 5a2.800 2.800 0 0 1-5.600 0 2.800 2.800 0 0 1-5.700 0 2.800 2.800 0 0 1-5.700 0zM10 20v-5h4v5"/>',
  webhook: '<path d="M13 3L5 14h6l-1 7 8-11h-6z"/>',
  deliveries: '<path d="M4 6h16v12H4zM4 7l8 6 8-6"/>',
  triggers:
    '<circle cx="6" cy="6" r="2.5"/><circle cx="6" cy="18" r="2.5"/><circle cx="18" cy="12" r="2.5"/><path d="M6 8.500v7M8.500 6h4a3 3 0 0 1 3 3.500M8.500 18h4a3 3 0 0 0 3-3.500"/>',
  keys: '<circle cx="8" cy="15" r="4"/><path d="M11 12l8-8M16 7l3 3M13.5 9.5l2 2"/>',
  store: '<path d="M4 20l1-4L16 5l3 3L8 19zM13.5 7.5l3 3"/>',
  plan: '<path d="M12 3l2.6 5.6 6 .7-4.5 4.1 1.2 6-5.3-3-5.3 3 1.2-6L3.4 9.3l6-.7z"/>',
  history: '<path d="M4.5 12a7.5 7.5 0 1 0 2.4-5.5L4.5 8.800M4.5 4.5v4.3h4.3M12 8v4.500l3 1.8"/>',
};

/** Renders the icon of a section, hidden from screen readers because the label beside it says the same. */
export function sectionIcon(section: Section): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${raw(paths[section])}</svg>`;
}
