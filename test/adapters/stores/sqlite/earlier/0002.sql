INSERT INTO hardware (app_id, hardware_id, code_hash, model, tries, locked_until, registered_at) VALUES
  ('01900000-0000-7000-8000-0000000000a0', 'TRK-1', '00:00', 'T1000', 0, NULL, 1772366399000),
  ('01900000-0000-7000-8000-0000000000a0', 'TRK-2', '00:00', NULL, 4, NULL, 1772366399000);
INSERT INTO devices (id, app_id, hardware_id, user_id, firmware_version, hardware_model, paired_at, created_at, updated_at) VALUES
  ('01900000-0000-7000-8000-0000000000e1', '01900000-0000-7000-8000-0000000000a0', 'TRK-1', '01900000-0000-7000-8000-0000000000b1', '1.2', 'T1000', 1772366400000, 1772366400000, 1772366400000);
INSERT INTO feedback (id, user_id, message, category, rating, created_at) VALUES
  ('01900000-0000-7000-8000-0000000000f1', '01900000-0000-7000-8000-0000000000b2', 'It helped', NULL, 5, 1772366440000);
