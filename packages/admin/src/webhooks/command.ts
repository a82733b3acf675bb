import type { Command } from "commander";
import { identifier } from "../options.ts";
import { createCommand, examples, jsonOption, type Terminal } from "../terminal.ts";

const actions = () => import("./actions.ts");
const ID = "0e1b5d0c-7d55-4a49-9c1e-0b6f3f4e2a10";

/** `partner-trading-admin webhooks ...`: webhooks of all keys (docs/deliveries.md#operating). */
export function webhooksCommand(terminal: Terminal): Command {
  const webhooks = createCommand("webhooks", terminal).description("Where events of keys are delivered to");
  webhooks
    .command("list")
    .description(
      "Shows every webhook, its key and its queue; of its URL the host alone, since the rest may be a credential",
    )
    .addOption(jsonOption())
    .addHelpText("after", examples("webhooks list"))
    .action(async (options) => (await actions()).list(terminal, options));
  webhooks
    .command("pause")
    .argument("<webhookId>", "as `webhooks list` shows it", identifier)
    .description(
      "Delivers nothing to a webhook until it is resumed; its key cannot enable or delete it, nor make another one of its host",
    )
    .addOption(jsonOption())
    .addHelpText("after", examples(`webhooks pause ${ID}`))
    .action(async (webhookId, options) => (await actions()).pause(terminal, webhookId, options));
  webhooks
    .command("resume")
    .argument("<webhookId>", "as `webhooks list` shows it", identifier)
    .description("Enables a webhook, and delivers what came meanwhile")
    .addOption(jsonOption())
    .addHelpText("after", examples(`webhooks resume ${ID}`))
    .action(async (webhookId, options) => (await actions()).resume(terminal, webhookId, options));
  webhooks
    .command("redeliver")
    .argument("<webhookId>", "as `webhooks list` shows it", identifier)
    .argument("[deliveryId]", "one delivery; left out, all that are dead", identifier)
    .description("Delivers again one event, or all that are dead")
    .addOption(jsonOption())
    .addHelpText("after", examples(`webhooks redeliver ${ID}`))
    .action(async (webhookId, deliveryId, options) =>
      (await actions()).redeliver(terminal, webhookId, deliveryId ?? null, options),
    );
  webhooks
    .command("reseal")
    .description("Seals all secrets under the first of WEBHOOK_KEYS, so that the others can be removed")
    .addOption(jsonOption())
    .addHelpText("after", examples("webhooks reseal"))
    .action(async (options) => (await actions()).reseal(terminal, options));
  return webhooks;
}
