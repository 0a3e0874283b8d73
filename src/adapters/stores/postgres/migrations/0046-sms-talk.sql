-- What the talk during an alarm has brought to the number that raised it (sms.md#talk-by-sms).
ALTER TABLE sms_alerts ADD COLUMN talk json;
