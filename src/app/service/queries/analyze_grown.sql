-- timeout: 12000ms
SELECT analyze_grown() AS count
