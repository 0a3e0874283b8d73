import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newestBatteries } from '../../../src/app/sending/newest-batteries.ts'
import { type BatteryReport, batteriesOf, lowBatteryOf } from '../../../src/core/incident/battery.ts'
import { decide } from '../../../src/core/incident/decide.ts'
import { messageText } from '../../../src/core/message/message-text.ts'
import { isGsm7, segmentsOf } from '../../../src/core/text/gsm7.ts'
import { languages } from '../../../src/core/text/own-texts.ts'
import { fixedWords } from '../../../src/core/text/phrases.ts'
import { alertAt, isoAfter, momentAt, planOf, raiseAt } from '../build.ts'
import { factsOf, LINK, MINUTE, NOW, positionOf } from '../message/facts.ts'

// rules.md#batteries.

const incidentWith = (fields: Record<string, unknown>) =>
  decide({ incident: null, plan: planOf({ contacts: ['Ana'] }), earlier: null }, raiseAt(0, alertAt(0, fields)))
    .incident!
const reportAt = (
  seconds: number,
  payload: object,
  { source = 'session', arrives = seconds }: { source?: BatteryReport['source']; arrives?: number } = {},
): BatteryReport => ({
  payload: payload as BatteryReport['payload'],
  at: { ms: momentAt(seconds), nanos: 0, text: isoAfter(seconds) } as BatteryReport['at'],
  receivedAt: momentAt(arrives),
  source,
})
const phone = (percent: number, seconds: number) => ({ percent, at: momentAt(seconds) })
const tracker = (range: string, seconds: number) => ({ range, at: momentAt(seconds) })
const device = (range: string) => ({ deviceBattery: { rawValue: 3.6, range } })

const table: readonly [
  name: string,
  opening: object,
  reports: readonly BatteryReport[],
  phone: unknown,
  tracker: unknown,
][] = [
  ['nothing', {}, [], null, null],
  ['the press', { mobileBattery: 40, ...device('ok') }, [], phone(40, 0), tracker('ok', 0)],
  ['a later report', { mobileBattery: 40 }, [reportAt(60, { mobileBattery: 12 })], phone(12, 60), null],
  ['one before the press', { mobileBattery: 40 }, [reportAt(-60, { mobileBattery: 90 })], phone(40, 0), null],
  [
    'each from its own report',
    {},
    [reportAt(60, device('low')), reportAt(30, { mobileBattery: 9 })],
    phone(9, 30),
    tracker('low', 60),
  ],
  [
    "the phone of a relay is not the person's",
    {},
    [reportAt(60, { mobileBattery: 5, ...device('critical') }, { source: 'relay' })],
    null,
    tracker('critical', 60),
  ],
  ['what any other user says', {}, [reportAt(60, { mobileBattery: 5 }, { source: 'other' })], null, null],
  [
    'a clock that is ahead',
    {},
    [reportAt(9_000, { mobileBattery: 80 }, { arrives: 10 }), reportAt(60, { mobileBattery: 12 })],
    phone(12, 60),
    null,
  ],
]
for (const [name, opening, reports, ...expected] of table) {
  test(`the newest batteries: ${name}`, () => {
    const found = batteriesOf(incidentWith(opening as Record<string, unknown>), reports)
    assert.deepEqual([found.phone, found.tracker], expected)
  })
}

test('low is up to 15 %, or what the tracker calls so; of two the newer is said', () => {
  const low = (phone: number | null, range: 'critical' | 'low' | 'medium' | 'ok' | null, trackerAt = 2) =>
    lowBatteryOf({
      phone: phone === null ? null : { percent: phone, at: 1 },
      tracker: range === null ? null : { range, at: trackerAt },
    })
  assert.equal(low(16, 'medium'), null)
  assert.deepEqual(low(15, 'ok'), { of: 'phone', percent: 15, at: 1 })
  assert.deepEqual(low(50, 'critical'), { of: 'tracker', at: 2 })
  assert.deepEqual(low(3, 'low'), { of: 'tracker', at: 2 })
  assert.deepEqual(low(3, 'low', 0), { of: 'phone', percent: 3, at: 1 })
})

test('a store that does not answer leaves what the press said', async () => {
  const incident = incidentWith({ mobileBattery: 7 })
  const broken = { telemetryHistory: () => Promise.reject(new Error('gone')) }
  assert.deepEqual(await newestBatteries(broken, incident), batteriesOf(incident))
})

for (const language of languages) {
  test(`${language}: SMS and call say an almost empty battery with its age, and never more segments for it`, () => {
    const position = positionOf(3 * MINUTE, 47.07, 12.69)
    for (const battery of [
      { of: 'phone', percent: 12, at: NOW - 20 * MINUTE },
      { of: 'tracker', at: NOW - 20 * MINUTE },
    ] as const) {
      const sms = messageText('sms', 'alarm', [language], factsOf({ position, battery }))
      const { phone, tracker } = fixedWords[language].battery
      const begins = (battery.of === 'phone' ? phone : tracker).replace('{n}', '12').split('{')[0]!
      assert.ok(sms.includes(begins), sms)
      assert.ok(isGsm7(sms) && segmentsOf(sms) <= 2, sms)
      const call = messageText('voice', 'alarm', [language], factsOf({ position, battery }))
      assert.ok(call.length > messageText('voice', 'alarm', [language], factsOf({ position })).length)
      if (battery.of === 'phone') assert.match(call, /12 (percent|Prozent|pour cent|per cento|por ciento)/)
      // Before the name, the link and the position, the battery goes.
      const long = { position, battery, trackingUrl: `${LINK}${'x'.repeat(120)}`, who: 'M'.repeat(60) }
      const full = messageText('sms', 'alarm', [language], factsOf({ ...long, answerCode: '4711' }))
      assert.ok(segmentsOf(full) <= 2 && full.includes('47.0700,12.6900') && full.includes(long.trackingUrl), full)
      const drill = messageText('sms', 'alarm', [language], factsOf({ position, battery, isDrill: true }))
      assert.ok(!drill.includes(begins), drill)
    }
  })
}
