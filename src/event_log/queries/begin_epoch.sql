SELECT begin_log_epoch() AS incarnation
