SELECT current_setting('autovacuum') AS autovacuum, current_setting('track_counts') AS track_counts
