import { Audit, type AuditQuery } from "../service/documents.ts";
import { defineList } from "../table/list-spec.ts";
import { Code, Line, Text, Time } from "../values/values.tsx";
import { FILTERS } from "./filters.ts";

type Row = AuditQuery["dashboard"]["auditEntries"]["edges"][number]["node"];

/** Returns the details of an entry as text: `name acme; ips 10.0.0.1, 10.0.0.2`. */
function textOf(detail: unknown, separator = "; "): string {
  if (typeof detail !== "object" || detail === null) return String(detail ?? "");
  if (Array.isArray(detail)) return detail.map((item) => textOf(item, " ")).join(", ");
  const facts = Object.entries(detail).filter(([, value]) => value !== null);
  return facts.map(([name, value]) => `${name} ${textOf(value, " ")}`).join(separator);
}

export const AUDIT = defineList({
  name: "audit",
  title: "Audit log",
  unit: "entries",
  document: Audit,
  filters: FILTERS.audit,
  connection: ({ dashboard }) => dashboard.auditEntries,
  rows: ({ dashboard }) => dashboard.auditEntries.edges.map(({ node }) => node),
  idOf: ({ auditId }: Row) => auditId,
  cardOf: ({ createdAt, actor, action, subject, detail }) => [
    [action, <Time key="time" at={createdAt} />],
    [actor, subject && <Code key="subject" value={subject} />],
    [textOf(detail), null],
  ],
  concerns: () => false,
  empty: "No entry matches.",
  columns: [
    { id: "at", title: "Time", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { id: "actor", title: "User", cell: ({ actor }) => actor },
    { id: "login", title: "Login", cell: ({ login }) => login },
    { id: "requestedBy", title: "Requested by", cell: ({ requestedBy }) => <Text>{requestedBy}</Text> },
    { id: "action", title: "Action", cell: ({ action }) => action },
    { id: "subject", title: "Subject", cell: ({ subject }) => <Code value={subject} /> },
    { id: "detail", title: "Details", cell: ({ detail }) => <Line text={textOf(detail)} /> },
    { id: "audit", title: "Entry", isHidden: true, cell: ({ auditId }) => <Code value={auditId} /> },
  ],
});
