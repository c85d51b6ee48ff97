// Who is on duty at a table of a house: dealers sign on with the PIN that they have at the floor, and off again.

import * as dialog from "./dialog.js";
import { h } from "./dom.js";
import { t } from "./page.js";
import { post } from "./send.js";
import { toast } from "./shell.js";

const DUTY = "/api/v1/duty";

/** Show who is on duty, and let somebody sign on or off. */
export async function showDuty() {
  const its = { told: null, name: "", pin: "", isBusy: false };
  const close = dialog.open(t("duty"), () =>
    its.told ? form(its, sign) : h("p", { class: "hint" }, t("duty_asking")),
  );

  async function sign(dealer) {
    if (its.isBusy) return;
    its.isBusy = true;
    try {
      await post(DUTY, { dealer, pin: its.pin });
      close();
      toast(dealer ? t("duty_is", { name: dealer }) : t("duty_nobody"));
    } catch (error) {
      toast(error.message, "error");
    }
    its.isBusy = false;
  }

  try {
    its.told = await (await fetch(DUTY)).json();
    its.name = its.told.dealers[0] ?? "";
  } catch {
    close();
    return toast(t("no_network"), "error");
  }
  return dialog.redraw();
}

const form = (its, sign) => [
  h("p", { key: "now" }, its.told.dealer ? t("duty_is", { name: its.told.dealer }) : t("duty_nobody")),
  h(
    "form",
    {
      class: "join-form",
      key: "on",
      onsubmit: (event) => {
        event.preventDefault();
        sign(its.name);
      },
    },
    h(
      "label",
      {},
      h("span", {}, t("duty_who")),
      h(
        "select",
        { onchange: (event) => (its.name = event.target.value), required: true },
        its.told.dealers.map((one) => h("option", { key: one, value: one, selected: one === its.name }, one)),
      ),
    ),
    h(
      "label",
      {},
      h("span", {}, t("duty_pin")),
      h("input", {
        type: "password",
        inputmode: "numeric",
        autocomplete: "off",
        maxlength: 12,
        oninput: (event) => (its.pin = event.target.value),
      }),
    ),
    h("button", { type: "submit", class: "primary" }, t("duty_on")),
  ),
  its.told.dealer &&
    h(
      "p",
      { class: "actions", key: "off" },
      h("button", { type: "button", onclick: () => sign(null) }, t("duty_off", { name: its.told.dealer })),
    ),
  !its.told.dealers.length && h("p", { class: "hint", key: "none" }, t("duty_no_dealers")),
];
