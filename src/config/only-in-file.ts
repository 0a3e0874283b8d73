/**
 * The keys that only the file or the environment sets, by the reason. A name stands for all keys below it that are not
 * settable in the console (`settable.ts`); a test holds every key against both. setup.md#only-in-the-file.
 */
export const onlyInFile = [
  // Read before the database is open, or needed to open it.
  { why: 'start', keys: ['dataDir', 'store', 'node', 'log'] },
  // Another port or protocol cuts off the console that changes it.
  { why: 'listeners', keys: ['http', 'https', 'mqtt', 'mqtts', 'docs', 'console', 'metrics'] },
  // Anyone who may write a machine's file decides what runs there, and which of its files are read and written.
  { why: 'machine', keys: ['tls.cert', 'tls.key', 'acme.dnsHook', 'backup', 'modem.smsdConfig'] },
  // The limits for settings in the console.
  { why: 'guards', keys: ['notifications.allowPrivateTargets', 'twilio.baseUrl', 'canary', 'heartbeat'] },
  // Memory, disk and connections of this machine are shared out at its start.
  { why: 'resources', keys: ['limits', 'twilio.requestsAtOnce'] },
  // No undo brings deleted data back.
  { why: 'deletion', keys: ['retention'] },
  // Defaults for applications; their own settings are in the console.
  { why: 'defaults', keys: ['notifications.defaults', 'lora'] },
] as const
