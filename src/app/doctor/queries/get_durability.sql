-- Reads the settings of this session, because a role or a database can override those of the server.
SELECT current_user AS role, current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
       current_setting('synchronous_commit') AS synchronous_commit
