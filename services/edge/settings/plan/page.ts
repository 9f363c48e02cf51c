import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { html } from "../../pages/html.ts";
import { panel } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import type { SettingsPage } from "../model/settings-page.ts";

const changed = { path: "/plan?done=changed" } as const;

export const planPage: SettingsPage = {
  path: "/plan",
  section: "plan",
  async show(visit) {
    const { store } = await visit.registry.stores.getStore({});
    const { text } = visit;
    const isPro = store?.plan === Plan.PRO;
    const toBasic = new SettingsForm(visit, "toBasic").disclosed(html`<p>${text("settings.plan.toBasicLead")}</p>`, {
      submit: text("settings.plan.toBasic"),
      kind: "danger",
    });
    return {
      title: text("settings.shell.sections.plan"),
      lead: text("settings.plan.lead"),
      notice: visit.query.get("done") === "changed" ? text("settings.plan.changed") : undefined,
      content: panel(
        text("settings.plan.current"),
        html`<p class="title">${isPro ? text("settings.plan.pro") : text("settings.plan.basic")}</p>
${isPro ? toBasic : new SettingsForm(visit, "toPro").frame("", { submit: text("settings.plan.toPro") })}`,
      ),
    };
  },
  actions: {
    async toPro({ registry }) {
      await registry.stores.setPlan({ plan: Plan.PRO });
      return changed;
    },
    async toBasic({ registry }) {
      await registry.stores.setPlan({ plan: Plan.BASIC });
      return changed;
    },
  },
};
