-- One PostgreSQL role per program, each with the least that the program needs (docs/DATABASE.md).
--
-- Run once per database by its administrator, as `npm run db:roles` or `psql -f prisma/roles.sql`; running it again
-- changes nothing. It sets no passwords. Rights on the tables of app.* are in grants.sql, which every migration applies.

DO $$
DECLARE
  role text;
BEGIN
  FOREACH role IN ARRAY ARRAY['partner_owner', 'partner_api', 'partner_worker', 'partner_deliverer', 'partner_indexer', 'partner_operator'] LOOP
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = role) THEN
      EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION', role);
    END IF;
  END LOOP;
  -- Only a member may hand objects over to a role. A superuser needs no membership.
  IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    GRANT partner_owner, partner_indexer TO CURRENT_USER;
  END IF;
END $$;

DO $$
DECLARE
  db text := current_database();
BEGIN
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', db);
  EXECUTE format(
    'GRANT CONNECT ON DATABASE %I TO partner_owner, partner_api, partner_worker, partner_deliverer, partner_indexer, partner_operator',
    db);
  -- The schema app; and those of the indexer: one per build, the views, its cache.
  EXECUTE format('GRANT CREATE ON DATABASE %I TO partner_owner, partner_indexer', db);
  -- Ponder keeps the tables that a transaction touched in a temporary one.
  EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO partner_indexer', db);
  -- Statements of lists are estimated near jit_above_cost, run for milliseconds, and would be compiled for a multiple of that.
  EXECUTE format('ALTER ROLE partner_api IN DATABASE %I SET jit = off', db);
END $$;

-- The table of applied migrations is there; /readyz of api, worker and deliverer reads it.
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO partner_owner;
GRANT USAGE ON SCHEMA public TO partner_api, partner_worker, partner_deliverer, partner_operator;

-- Whatever the indexer makes, now or in a later build, may be read and nothing else.
ALTER DEFAULT PRIVILEGES FOR ROLE partner_indexer
  GRANT USAGE ON SCHEMAS TO partner_api, partner_worker, partner_operator;
ALTER DEFAULT PRIVILEGES FOR ROLE partner_indexer
  GRANT SELECT ON TABLES TO partner_api, partner_worker, partner_operator;

-- A database that one role has served so far: its objects are handed over.
DO $$
DECLARE
  item record;
BEGIN
  FOR item IN
    SELECT n.oid, n.nspname, CASE n.nspname WHEN 'app' THEN 'partner_owner' ELSE 'partner_indexer' END AS heir
    FROM pg_namespace n
    WHERE n.nspname IN ('app', 'onchain', 'ponder_sync') OR n.nspname LIKE 'onchain\_%'
  LOOP
    EXECUTE format('ALTER SCHEMA %I OWNER TO %I', item.nspname, item.heir);
    DECLARE
      object record;
    BEGIN
      -- Sequences of a column follow their table.
      FOR object IN
        SELECT c.relname, CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind
        FROM pg_class c
        WHERE c.relnamespace = item.oid AND c.relkind IN ('r', 'p', 'v', 'S')
          AND NOT (c.relkind = 'S' AND EXISTS (
            SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i')))
      LOOP
        EXECUTE format('ALTER %s %I.%I OWNER TO %I', object.kind, item.nspname, object.relname, item.heir);
      END LOOP;
      FOR object IN SELECT p.oid::regprocedure AS name FROM pg_proc p WHERE p.pronamespace = item.oid LOOP
        EXECUTE format('ALTER ROUTINE %s OWNER TO %I', object.name, item.heir);
      END LOOP;
      FOR object IN SELECT t.typname FROM pg_type t WHERE t.typnamespace = item.oid AND t.typtype = 'e' LOOP
        EXECUTE format('ALTER TYPE %I.%I OWNER TO %I', item.nspname, object.typname, item.heir);
      END LOOP;
    END;
    IF item.heir = 'partner_indexer' THEN
      EXECUTE format('GRANT USAGE ON SCHEMA %I TO partner_api, partner_worker, partner_operator', item.nspname);
      EXECUTE format(
        'GRANT SELECT ON ALL TABLES IN SCHEMA %I TO partner_api, partner_worker, partner_operator', item.nspname);
    END IF;
  END LOOP;
  IF to_regclass('public._prisma_migrations') IS NOT NULL THEN
    ALTER TABLE public._prisma_migrations OWNER TO partner_owner;
  END IF;
END $$;
