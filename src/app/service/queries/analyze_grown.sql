-- timeout: 20000ms
SELECT analyze_grown() AS count
