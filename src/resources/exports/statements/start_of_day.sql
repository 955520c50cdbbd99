-- The first instant of the day, even if the clocks are set back over midnight: PostgreSQL takes the later instant of an
-- ambiguous local time.
least(timestamp {day} AT TIME ZONE {zone},
      (timestamp {day} - interval '1 microsecond') AT TIME ZONE {zone} + interval '1 microsecond')
