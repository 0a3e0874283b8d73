import { z } from 'zod'

const seconds = (max: number) => z.number().min(0).max(max)
const WEEK_SECONDS = 7 * 24 * 3600

/**
 * The rules of escalation, in the units of rules.md#settings: seconds (fractions allowed), counts, hours. All are set
 * per application.
 */
export const settingsSchema = z.strictObject({
  graceSeconds: seconds(3600).describe('nothing is sent before it ends; a cancel within it notifies nobody'),
  contactIntervalSeconds: seconds(3600).describe(
    "contact k's SMS goes out this long after contact k-1's; 0 = all at once",
  ),
  ackTimeoutSeconds: seconds(WEEK_SECONDS).describe("how long after a contact's SMS that contact is called"),
  voice: z.boolean().describe('whether contacts are called'),
  voiceAttempts: z
    .number()
    .int()
    .min(1)
    .max(20)
    .describe('calls to a contact who is busy, does not answer or cannot be reached'),
  voiceRetrySeconds: seconds(WEEK_SECONDS).describe('time between those calls'),
  rounds: z.number().int().min(1).max(100).describe('how many times the whole cascade runs while nobody acknowledges'),
  httpAttempts: z.number().int().min(1).max(50).describe('chat and webhook attempts'),
  httpBackoffSeconds: z.array(seconds(WEEK_SECONDS)).min(1).max(50).describe('waits between those attempts, ± 20 %'),
  httpTimeoutSeconds: z
    .number()
    .min(0.01)
    .max(300)
    .describe('an attempt that takes longer fails with connection timeout'),
  allClear: z.boolean().describe('everyone who was notified is told when the incident is cancelled or resolved'),
  realarmSeconds: seconds(WEEK_SECONDS).describe('a further alert this long after the last alarm starts another round'),
  autoResolveHours: z
    .number()
    .min(0.0001)
    .max(24 * 365)
    .describe('the system resolves the incident after this long without an alert'),
  persistHours: z
    .number()
    .min(0)
    .max(24 * 7)
    .describe('how long after the last alert further rounds follow while nobody acknowledges; 0 = none after `rounds`'),
  watchMinutes: z
    .number()
    .min(0)
    .max(7 * 24 * 60)
    .describe('how long after an answer, without further news, the helper is asked again; 0 = never'),
  tellOthers: z.boolean().describe('contacts who have not answered are told that somebody is coming or calling'),
})
