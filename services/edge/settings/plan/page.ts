import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { html } from "../../pages/html.ts";
import { disclosure, panel } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import type { SettingsPage } from "../model/settings-page.ts";
import { shellTexts } from "../shell/texts.ts";
import { texts } from "./texts.ts";

const changed = { path: "/plan?done=changed" } as const;

/** Shows and changes the plan. */
export const planPage: SettingsPage = {
  path: "/plan",
  section: "plan",
  async show(visit) {
    const { store } = await visit.registry.store.getStore({});
    const words = texts[visit.language];
    const isPro = store?.plan === Plan.PRO;
    const toBasic = new SettingsForm(visit, "toBasic").frame(html`<p>${words.toBasicLead}</p>`, {
      submit: words.toBasic,
      kind: "danger",
    });
    return {
      title: shellTexts[visit.language].sections.plan,
      lead: words.lead,
      notice: visit.query.get("done") === "changed" ? words.changed : undefined,
      content: panel(
        words.current,
        html`<p class="title">${isPro ? words.pro : words.basic}</p>
${isPro ? disclosure(words.toBasic, toBasic) : new SettingsForm(visit, "toPro").frame("", { submit: words.toPro })}`,
      ),
    };
  },
  actions: {
    async toPro({ registry }) {
      await registry.store.setPlan({ plan: Plan.PRO });
      return changed;
    },
    async toBasic({ registry }) {
      await registry.store.setPlan({ plan: Plan.BASIC });
      return changed;
    },
  },
};
