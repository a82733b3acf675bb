import { expect, it } from "@jest/globals";
import { isEnumType } from "graphql";
import { buildApiSchema } from "../../../src/api/schema.ts";
import { STREAM_KINDS } from "../../../src/context/streams/host.ts";
import * as dashboardWords from "../../../src/dashboard/words.ts";
import * as words from "../../../src/protocol/enums.ts";

/** Words of the code by the name of the GraphQL enum that shows them. */
const WORDS: Record<string, readonly string[]> = {
  Side: words.SIDES,
  OrderType: words.ORDER_TYPES,
  TimeInForce: Object.keys(words.TIME_IN_FORCE),
  EndedStatus: words.ENDED_STATUSES,
  OnChainStatus: words.ON_CHAIN_STATUSES,
  OpenStatus: words.OPEN_STATUSES,
  OperationStatus: words.OPERATION_STATUSES,
  MappingStatus: words.MAPPING_STATUSES,
  MappingSource: words.MAPPING_SOURCES,
  PreflightCheckName: words.PREFLIGHT_CHECKS,
  SendStatus: words.SEND_STATUSES,
  DelegationStatus: words.DELEGATION_STATUSES,
  Health: words.HEALTHS,
  Session: words.SESSIONS,
  ActionStatus: words.ACTION_STATUSES,
  WebhookStatus: words.WEBHOOK_STATUSES,
  WebhookDisabledReason: words.WEBHOOK_DISABLED_REASONS,
  DeliveryStatus: words.DELIVERY_STATUSES,
  SearchKind: dashboardWords.SEARCH_KINDS,
  TimelineKind: dashboardWords.TIMELINE_KINDS,
  TimelineStepKind: dashboardWords.STEP_KINDS,
  TimelineStepState: dashboardWords.STEP_STATES,
  ProblemSeverity: dashboardWords.PROBLEM_SEVERITIES,
  ProblemCause: dashboardWords.PROBLEM_CAUSES,
  StreamKind: STREAM_KINDS,
  DashboardRole: words.DASHBOARD_ROLES,
};

it("every GraphQL enum has the words of the code, in their order", () => {
  const enums = Object.values(buildApiSchema().getTypeMap()).filter(
    (type) => isEnumType(type) && !type.name.startsWith("__"),
  );
  const shown = enums.map((type) => [
    type.name,
    isEnumType(type) ? type.getValues().map(({ name }) => name) : [],
  ]);
  expect(Object.fromEntries(shown)).toEqual(WORDS);
});
