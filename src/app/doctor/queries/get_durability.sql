-- As the session has them: a role or a database can have settings of its own.
SELECT current_user AS role, current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
       current_setting('synchronous_commit') AS synchronous_commit
