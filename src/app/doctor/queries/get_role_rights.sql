SELECT r.rolname AS role, r.rolsuper AS is_superuser, r.rolbypassrls AS passes_row_security,
       EXISTS (SELECT FROM pg_class c
                WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
                  AND pg_has_role(r.oid, c.relowner, 'USAGE')) AS acts_as_owner
  FROM pg_roles r WHERE r.rolname = current_user
