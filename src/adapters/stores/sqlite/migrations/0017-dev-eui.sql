-- A LoRaWAN tracker is found by the 8 bytes of its DevEUI, in any spelling.
CREATE INDEX devices_by_eui ON devices (app_id, replace(replace(replace(replace(lower(hardware_id), ':', ''), '-', ''), '.', ''), ' ', ''));
