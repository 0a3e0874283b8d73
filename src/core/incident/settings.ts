import { z } from 'zod'
import { HOUR, MINUTE, SECOND } from '../ingest/event-time.ts'

const seconds = (max: number) => z.number().min(0).max(max)
const WEEK_SECONDS = 7 * 24 * 3600

/** The rules of escalation, in the units of Decisions 4: seconds (fractions allowed), counts, hours. Every one is set per application. */
export const settingsSchema = z.strictObject({
  graceSeconds: seconds(3600).describe('nothing goes out before; cancel within it notifies nobody'),
  contactIntervalSeconds: seconds(3600).describe(
    "contact k's SMS goes out this long after contact k-1's; 0 = all at once",
  ),
  ackTimeoutSeconds: seconds(WEEK_SECONDS).describe("after a contact's SMS, how long until that contact is called"),
  voice: z.boolean().describe('calls at all'),
  voiceAttempts: z.number().int().min(1).max(20).describe('calls a contact gets on busy, no answer or failure'),
  voiceRetrySeconds: seconds(WEEK_SECONDS).describe('how long between those calls'),
  rounds: z.number().int().min(1).max(100).describe('how often the whole cascade runs while nobody acknowledges'),
  httpAttempts: z.number().int().min(1).max(50).describe('chat and webhook tries'),
  httpBackoffSeconds: z.array(seconds(WEEK_SECONDS)).min(1).max(50).describe('waits between those tries, ± 20 %'),
  httpTimeoutSeconds: z.number().min(0.01).max(300).describe('a try that takes longer failed: connection timeout'),
  allClear: z.boolean().describe('whoever was notified is told when the incident is cancelled or resolved'),
  realarmSeconds: seconds(WEEK_SECONDS).describe('a further alert this long after the last one starts another round'),
  autoResolveHours: z
    .number()
    .min(0.0001)
    .max(24 * 365)
    .describe('with no alert for this long the system resolves'),
  persistHours: z
    .number()
    .min(0)
    .max(24 * 7)
    .describe(
      'for this long after the last alert further rounds follow while nobody acknowledges; 0 = none after `rounds`',
    ),
  watchMinutes: z
    .number()
    .min(0)
    .max(7 * 24 * 60)
    .describe('how long after an answer without news whoever answered is asked again; 0 = never'),
})

type Parsed = z.infer<typeof settingsSchema>
export type Settings = { readonly [K in keyof Parsed]: Parsed[K] extends number[] ? readonly number[] : Parsed[K] }

/** Decisions 4, the table's default column. */
export const defaultSettings: Settings = {
  graceSeconds: 10,
  contactIntervalSeconds: 30,
  ackTimeoutSeconds: 60,
  voice: true,
  voiceAttempts: 2,
  voiceRetrySeconds: 60,
  rounds: 2,
  httpAttempts: 5,
  httpBackoffSeconds: [1, 5, 15, 60],
  httpTimeoutSeconds: 10,
  allClear: true,
  realarmSeconds: 300,
  autoResolveHours: 24,
  persistHours: 12,
  watchMinutes: 30,
}

/** Waits between the tries of an SMS that fails with a retryable error; the last one repeats. Decisions 4. */
export const SMS_RETRY_MS: readonly number[] = [1, 5, 15, 60].map((wait) => wait * SECOND)

/** The n-th wait of a list whose last entry repeats. `n` counts from 1. */
export const nthWait = (waits: readonly number[], n: number): number => waits[Math.min(n, waits.length) - 1] ?? 0

/** Seconds of a setting as whole milliseconds. */
export const msOf = (settingSeconds: number): number => Math.round(settingSeconds * SECOND)

/** `persistHours` as whole milliseconds. */
export const persistMs = (settings: Settings): number => Math.round(settings.persistHours * HOUR)

/** `watchMinutes` as whole milliseconds. */
export const watchMs = (settings: Settings): number => Math.round(settings.watchMinutes * MINUTE)

/** `autoResolveHours` as whole milliseconds. */
export const autoResolveMs = ({ autoResolveHours }: Pick<Settings, 'autoResolveHours'>): number =>
  Math.round(autoResolveHours * HOUR)
