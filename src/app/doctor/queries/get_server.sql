SELECT current_setting('server_version_num')::integer AS version, current_setting('server_version') AS version_text,
       current_setting('server_encoding') AS encoding
