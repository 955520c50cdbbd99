SELECT tick, epoch, at, last_id FROM log_tick ORDER BY tick DESC LIMIT 1
