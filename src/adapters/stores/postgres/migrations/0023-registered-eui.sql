-- A DevEUI is registered once, in whatever spelling.
CREATE INDEX hardware_by_eui ON hardware (app_id, (replace(replace(replace(replace(lower(hardware_id), ':', ''), '-', ''), '.', ''), ' ', '')));
