import assert from 'node:assert/strict'
import { test } from 'node:test'
import { autoResolveMs, defaultSettings, msOf, nthWait, SMS_RETRY_MS } from '../../../src/core/account/settings.ts'
import { settingsSchema } from '../../../src/core/account/settings-schema.ts'

// rules.md#settings.
test('the defaults are those of the table, and valid', () => {
  assert.deepEqual(defaultSettings, {
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
    tellOthers: true,
  })
  assert.deepEqual(settingsSchema.parse(defaultSettings), defaultSettings)
})

const accepted: readonly object[] = [
  { graceSeconds: 0 },
  { graceSeconds: 0.05 },
  { contactIntervalSeconds: 0 },
  { contactIntervalSeconds: 0.5 },
  { ackTimeoutSeconds: 0.5 },
  { voice: false },
  { voiceAttempts: 1 },
  { voiceRetrySeconds: 0.5 },
  { rounds: 1 },
  { httpAttempts: 1 },
  { httpBackoffSeconds: [0.01] },
  { httpBackoffSeconds: [0.1, 0.2, 0.3, 0.4, 0.5] },
  { httpTimeoutSeconds: 0.2 },
  { allClear: false },
  { realarmSeconds: 0.5 },
  { autoResolveHours: 0.001 },
  { persistHours: 0 },
  { persistHours: 0.5 },
  { watchMinutes: 0 },
  { watchMinutes: 0.05 },
  { tellOthers: false },
]

for (const setting of accepted) {
  test(`a setting may be ${JSON.stringify(setting)}`, () => {
    assert.deepEqual(settingsSchema.partial().parse(setting), setting)
  })
}

const refused: readonly object[] = [
  ...Object.keys(defaultSettings).flatMap((name) => [{ [name]: 'soon' }, { [name]: null }]),
  ...Object.entries(defaultSettings).flatMap(([name, value]) =>
    typeof value === 'number' ? [{ [name]: -1 }, { [name]: Number.NaN }, { [name]: Number.POSITIVE_INFINITY }] : [],
  ),
  { voiceAttempts: 0 },
  { voiceAttempts: 1.5 },
  { rounds: 0 },
  { rounds: 1.5 },
  { httpAttempts: 0 },
  { httpAttempts: 2.5 },
  { httpBackoffSeconds: [] },
  { httpBackoffSeconds: [1, -1] },
  { httpBackoffSeconds: 1 },
  { httpTimeoutSeconds: 0 },
  { autoResolveHours: 0 },
  { voice: 1 },
  { voice: 'on' },
  { gracePeriod: 10 },
]

for (const setting of refused) {
  test(`a setting may not be ${String(Object.keys(setting)[0])}: ${String(Object.values(setting)[0])} (${typeof Object.values(setting)[0]})`, () => {
    assert.equal(settingsSchema.partial().safeParse(setting).success, false)
  })
}

test('an SMS waits 1, 5, 15, 60, 60 … seconds', () => {
  const waits = [1, 2, 3, 4, 5, 100].map((n) => nthWait(SMS_RETRY_MS, n))
  assert.deepEqual(waits, [1_000, 5_000, 15_000, 60_000, 60_000, 60_000])
})

test('fractions of a second and an hour become whole milliseconds', () => {
  assert.equal(msOf(0.0295), 30)
  assert.equal(msOf(1.5), 1_500)
  assert.equal(autoResolveMs({ ...defaultSettings, autoResolveHours: 0.0001 }), 360)
})
