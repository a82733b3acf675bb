import { parse } from "libpg-query";

/** A migration: the name of its folder, and its script. */
export interface Migration {
  name: string;
  sql: string;
}

/** A finding about a migration: an effect on an earlier object, in words. */
export interface Finding {
  migration: string;
  /** Effect, such as "drops the column app.event.data". */
  what: string;
}

export interface Findings {
  /** Changes that the version before may not survive: it runs beside the new one (CONTRIBUTING.md, "Migrations"). */
  breaking: Finding[];
  /** Changes that block writes of a table that may be large, while an index is built or rows are checked. */
  locking: Finding[];
}

type Node = Record<string, unknown>;

/**
 * Returns the effects of a version's migrations on objects that the version before uses. Objects that they create themselves are
 * unused yet: a later one of them may change and drop these.
 * @param migrations those that no released version has, oldest first
 */
export async function checkMigrations(migrations: readonly Migration[]): Promise<Findings> {
  const findings: Findings = { breaking: [], locking: [] };
  const own = new Set<string>();
  for (const { name, sql } of migrations) {
    const { stmts = [] } = await parse(sql);
    for (const { stmt } of stmts) {
      const [[kind, node] = ["", {}]] = Object.entries((stmt ?? {}) as Record<string, Node>);
      const { breaking = [], locking = [] } = check(kind, node, own);
      findings.breaking.push(...breaking.map((what) => ({ migration: name, what })));
      findings.locking.push(...locking.map((what) => ({ migration: name, what })));
    }
  }
  return findings;
}

interface Words {
  breaking?: string[];
  locking?: string[];
}

/** Checks one statement, and adds the objects it creates to `own`. */
function check(kind: string, node: Node, own: Set<string>): Words {
  switch (kind) {
    case "CreateStmt":
    case "ViewStmt":
      own.add(tableOf(node.relation ?? node.view));
      return {};
    case "IndexStmt":
      return checkIndex(node, own);
    case "CreateEnumStmt":
    case "CompositeTypeStmt":
    case "CreateDomainStmt":
      own.add(nameOf(node.typeName ?? node.domainname));
      return {};
    case "CreateFunctionStmt":
      if (node.replace !== true) own.add(nameOf(node.funcname));
      return {};
    case "CreateSeqStmt":
      own.add(tableOf(node.sequence));
      return {};
    case "CreateTrigStmt":
      own.add(`${tableOf(node.relation)}.${String(node.trigname)}`);
      return {};
    case "AlterTableStmt":
      return checkAlterations(node, own);
    case "AlterEnumStmt":
      return ofOthers(nameOf(node.typeName), own, (name) => `adds a value to the enum ${name}`);
    case "RenameStmt":
    case "AlterObjectSchemaStmt":
      return checkRename(node, own);
    case "DropStmt":
      return checkDrop(node, own);
    case "DoStmt":
      return { breaking: ["runs a DO block, which the check does not read"] };
    case "TruncateStmt":
      return { breaking: ["empties a table"] };
    default:
      return {};
  }
}

function ofOthers(name: string, own: ReadonlySet<string>, words: (name: string) => string): Words {
  return own.has(name) ? {} : { breaking: [words(name)] };
}

function checkIndex(node: Node, own: Set<string>): Words {
  const table = tableOf(node.relation);
  own.add(`${table.split(".")[0]}.${String(node.idxname)}`);
  if (own.has(table)) return {};
  const locking = node.concurrent === true ? [] : [`builds the index ${String(node.idxname)} of ${table}`];
  return node.unique === true
    ? { locking, breaking: [`refuses rows by the unique index ${String(node.idxname)} of ${table}`] }
    : { locking };
}

function checkRename(node: Node, own: ReadonlySet<string>): Words {
  const object = node.relation ? tableOf(node.relation) : nameOf(node.object);
  const part = node.subname ? `.${String(node.subname)}` : "";
  return own.has(object) ? {} : { breaking: [`renames ${object}${part}`] };
}

/** Kinds of objects that nothing outside of the database names. */
const UNNAMED = new Set(["OBJECT_TRIGGER"]);

function checkDrop(node: Node, own: ReadonlySet<string>): Words {
  if (UNNAMED.has(String(node.removeType))) return {};
  const kind = String(node.removeType).replace("OBJECT_", "").toLowerCase();
  const names = listOf(node.objects).map(nameOf);
  return { breaking: names.filter((name) => !own.has(name)).map((name) => `drops the ${kind} ${name}`) };
}

function checkAlterations(node: Node, own: Set<string>): Words {
  const table = tableOf(node.relation);
  if (own.has(table)) return {};
  const found = listOf(node.cmds).map(({ AlterTableCmd }) =>
    checkAlteration(table, AlterTableCmd as Node, own),
  );
  return {
    breaking: found.flatMap(({ breaking = [] }) => breaking),
    locking: found.flatMap(({ locking = [] }) => locking),
  };
}

function checkAlteration(table: string, { subtype, name, def }: Node, own: Set<string>): Words {
  const column = `${table}.${String(name)}`;
  switch (subtype) {
    case "AT_AddColumn":
      return checkNewColumn(table, (def as { ColumnDef: Node }).ColumnDef, own);
    case "AT_DropColumn":
      return ofOthers(column, own, () => `drops the column ${column}`);
    case "AT_SetNotNull":
      return own.has(column)
        ? { breaking: [`requires the new column ${column}, which the version before does not write`] }
        : {
            breaking: [`requires the column ${column}`],
            locking: [`reads ${table} for the column ${column}`],
          };
    case "AT_AlterColumnType":
      return ofOthers(column, own, () => `changes the type of the column ${column}`);
    case "AT_ColumnDefault":
      return def ? {} : { breaking: [`drops the default of ${column}`] };
    case "AT_DropConstraint":
      return { breaking: [`drops the constraint ${column}`] };
    case "AT_AddConstraint":
      return checkConstraint(table, (def as { Constraint: Node }).Constraint);
    default:
      return {};
  }
}

function checkNewColumn(table: string, column: Node, own: Set<string>): Words {
  const name = `${table}.${String(column.colname)}`;
  own.add(name);
  const kinds = listOf(column.constraints).map(({ Constraint }) => (Constraint as Node).contype);
  const isFilled = ["CONSTR_DEFAULT", "CONSTR_IDENTITY", "CONSTR_GENERATED"].some((kind) =>
    kinds.includes(kind),
  );
  return kinds.includes("CONSTR_NOTNULL") && !isFilled
    ? { breaking: [`requires the new column ${name}, which the version before does not write`] }
    : {};
}

function checkConstraint(table: string, constraint: Node): Words {
  const name = `${table}.${String(constraint.conname)}`;
  return {
    breaking: [`refuses rows by the constraint ${name}`],
    locking: constraint.skip_validation === true ? [] : [`reads ${table} for the constraint ${name}`],
  };
}

const listOf = (nodes: unknown): Node[] => (Array.isArray(nodes) ? nodes : []);

const tableOf = (relation: unknown): string => {
  const { schemaname, relname } = relation as { schemaname?: string; relname: string };
  return schemaname ? `${schemaname}.${relname}` : relname;
};

/** Returns a name as its parts, joined: of lists of strings, and of objects with arguments. */
function nameOf(node: unknown): string {
  if (Array.isArray(node)) return node.map(nameOf).join(".");
  const { String: text, List, ObjectWithArgs, TypeName } = node as Record<string, Node | undefined>;
  if (text) return String(text.sval);
  if (List) return nameOf(List.items);
  return nameOf(ObjectWithArgs?.objname ?? TypeName?.names);
}
