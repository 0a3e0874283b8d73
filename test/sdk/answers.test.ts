import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { delayMs, retryAfterMs } from '../../sdk/src/send/backoff.ts'
import { tell } from '../../sdk/src/send/event-stream.ts'
import { endAnswered, endAsked, pressAnswered } from '../../sdk/src/sos/answered.ts'
import { type Facts, nothingKnown } from '../../sdk/src/sos/facts.ts'
import { alertToSend, nameOf, pressNameOf, taskOf } from '../../sdk/src/sos/press.ts'

const incident = {
  incidentId: 'i1',
  status: 'active' as const,
  ...{
    occurredAt: '2026-07-04T09:00:00.000Z',
    openedAt: '2026-07-04T09:00:01.000Z',
    updatedAt: '2026-07-04T09:00:01.000Z',
  },
  ...{ acknowledgedAt: null, cancelledAt: null, resolvedAt: null },
}
const alert = {
  timestamp: '2026-07-04T09:00:00.000Z',
  deviceId: 'GW-1',
  ...{ latitude: 47, longitude: 400, altitude: 1, mobileBattery: 50 },
}
const press = { id: 'p', of: 'a u', alert, keptAt: 0 }
const refusal = (status: number, ...fields: readonly string[]) => ({
  status,
  body: { error: { code: 'E_SDK_SOS_VALIDATION', fields: fields.map((field) => ({ field, message: 'is bad' })) } },
  retryAfterMs: 0,
})
const ok = (status: number, body: unknown) => ({ status, body, retryAfterMs: 0 })

suite('an answer to each refusal', () => {
  const rows: readonly (readonly [
    what: string,
    answer: Parameters<typeof pressAnswered>[1],
    expected: Partial<Facts>,
    again: string | null,
  ])[] = [
    ['201 with the incident', ok(201, { incident }), { onServer: true, over: null }, null],
    ['200 without one', ok(200, { incident: null }), { onServer: true, over: 'ended' }, null],
    [
      '200, put off',
      ok(200, { incident: null, putOff: { until: '2026-07-04T09:15:00.000Z' } }),
      { onServer: true, over: null, putOff: Date.UTC(2026, 6, 4, 9, 15) },
      'busy',
    ],
    ['no answer', null, { onServer: false, over: null }, 'no_network'],
    ['401', refusal(401), { onServer: false, over: null }, 'unauthorized'],
    ['400 with fields', refusal(400, 'longitude'), { onServer: false, cut: 1 }, null],
    ['400 without', refusal(400), { onServer: false, cut: 2 }, null],
    ['413', refusal(413), { onServer: false, cut: 2 }, 'busy'],
    ['413 of a proxy', { status: 413, body: null, retryAfterMs: 0 }, { onServer: false, cut: 2 }, 'busy'],
    ['429', refusal(429), { onServer: false, over: null }, 'busy'],
    ['503', refusal(503), { onServer: false, over: null }, 'busy'],
    ['404 of the service', refusal(404), { over: 'refused' }, null],
    ['the page of a hotel', ok(200, null), { onServer: false, over: null }, 'not_the_service'],
    ['JSON of somebody else', ok(200, { incident: 'yes' }), { onServer: false }, 'not_the_service'],
    ['a 403 of a proxy', ok(403, null), { onServer: false, over: null }, 'not_the_service'],
    ['a 502 of a proxy', ok(502, null), { onServer: false, over: null }, 'busy'],
  ]
  for (const [what, answer, expected, again] of rows) {
    test(what, () => {
      const outcome = pressAnswered(nothingKnown, answer)
      for (const [name, value] of Object.entries(expected)) assert.deepEqual(outcome.facts[name as keyof Facts], value)
      assert.equal(outcome.again?.why ?? null, again)
    })
  }

  test('a press loses the refused fields first, then all but device and time, then the device, and then is refused', () => {
    const sent: string[][] = []
    let facts = nothingKnown
    while (facts.over === null) {
      sent.push(Object.keys(alertToSend(press, facts)).sort())
      facts = pressAnswered(facts, refusal(400, 'longitude', 'deviceId.x')).facts
    }
    assert.deepEqual(sent, [
      ['altitude', 'deviceId', 'latitude', 'longitude', 'mobileBattery', 'timestamp'],
      ['mobileBattery', 'timestamp'],
      ['deviceId', 'timestamp'],
      ['timestamp'],
    ])
    assert.deepEqual([facts.over, facts.refused.map(({ field }) => field)], ['refused', ['longitude', 'deviceId.x']])
  })

  test('a press that is on the server is never refused any more', () => {
    const known = { ...nothingKnown, onServer: true }
    for (const status of [400, 404, 405, 413, 415]) assert.equal(pressAnswered(known, refusal(status)).facts.over, null)
  })
})

suite('an end', () => {
  test('names the last press that the person knew of; asked again, the incident', () => {
    const last = pressNameOf(press, nothingKnown)
    assert.deepEqual(last, { deviceId: 'GW-1', timestamp: alert.timestamp })
    const end = { how: 'cancel' as const, number: 1, last }
    assert.deepEqual(nameOf({ ...nothingKnown, incident }, end, false), { alert: last })
    const again = { ...end, number: 2 }
    assert.deepEqual(nameOf({ ...nothingKnown, incident }, again, false), { incidentId: 'i1' })
    assert.deepEqual(nameOf({ ...nothingKnown, incident }, again, true), { alert: last }, 'pressed since it was asked')
    assert.deepEqual(pressNameOf(press, { ...nothingKnown, cut: 3 }), { timestamp: alert.timestamp })
  })

  test('goes before the press, and the press does not go any more', () => {
    const end = { how: 'cancel' as const, number: 1, last: alert }
    assert.equal(taskOf(nothingKnown, null, 0)?.kind, 'press')
    assert.equal(taskOf(nothingKnown, end, 0)?.kind, 'end')
    assert.equal(taskOf({ ...nothingKnown, over: 'ended' }, end, 0), null)
  })

  test('is over once the service says so, or nothing is open', () => {
    for (const body of [
      { incident: null, ended: true },
      { incident: null, ended: false },
      { incident, ended: true },
    ]) {
      const { facts } = endAnswered(nothingKnown, 1, ok(200, body))
      // What is over has come.
      assert.deepEqual([facts.over, facts.onServer], ['ended', body.ended])
    }
  })

  test('that leaves an alarm open shows it, and can be asked for again', () => {
    const { facts, again } = endAnswered({ ...nothingKnown, onServer: true }, 1, ok(200, { incident, ended: false }))
    assert.deepEqual([facts.over, facts.leftOpen, again], [null, 1, null])
    assert.equal(taskOf(facts, { how: 'cancel', number: 1, last: alert }, 0), null)
    assert.equal(taskOf(facts, { how: 'cancel', number: 2, last: alert }, 0)?.kind, 'end')
  })

  test('beside an open alarm asks whether the press is part of it', () => {
    const left = ok(200, { incident, ended: false })
    assert.deepEqual(endAnswered(nothingKnown, 1, left), { facts: nothingKnown, again: null, asks: true })
    assert.equal(endAsked(nothingKnown, 1, ok(200, { incident: null })).facts.over, 'ended')
    assert.equal(endAsked(nothingKnown, 1, ok(200, { incident })).facts.leftOpen, 1)
    for (const answer of [null, refusal(503), refusal(400, 'latitude')]) {
      assert.ok(endAsked(nothingKnown, 1, answer).again !== null)
    }
  })

  test('of an incident that is over is over, whatever else is open', () => {
    const other = { ...incident, incidentId: 'i2' }
    const { facts } = endAnswered({ ...nothingKnown, incident }, 1, ok(200, { incident: other, ended: false }))
    assert.deepEqual([facts.over, facts.incident?.incidentId], ['ended', 'i1'])
  })

  test('is sent again after everything else', () => {
    for (const answer of [null, refusal(503), refusal(401), refusal(400), refusal(404), ok(200, null), ok(502, null)]) {
      const outcome = endAnswered(nothingKnown, 1, answer)
      assert.ok(outcome.again !== null && outcome.facts.over === null)
    }
  })
})

suite('the time between two attempts', () => {
  test('is 1, 2, 4 … 30 s, a fifth more or less', () => {
    const middle = Array.from({ length: 8 }, (_, n) => delayMs(n, 0, 0.5))
    assert.deepEqual(middle, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
    assert.deepEqual([delayMs(9_999, 0, 0), delayMs(0, 0, 1)], [24_000, 1_200])
  })

  test('is at least what the service asks for, and at most five minutes of it', () => {
    assert.deepEqual([delayMs(0, 7_000, 0.5), delayMs(0, 86_400_000, 0.5)], [7_000, 300_000])
  })

  for (const [header, expected] of [
    ['3', 3_000],
    [' 3 ', 3_000],
    ['Sat, 04 Jul 2026 09:00:05 GMT', 5_000],
    ['Sat, 04 Jul 2026 08:00:00 GMT', 0],
    ['soon', 0],
    ['', 0],
    [null, 0],
    ['-1', 0],
  ] as const) {
    test(`Retry-After: ${header}`, () => {
      assert.equal(retryAfterMs(header, Date.UTC(2026, 6, 4, 9)), expected)
    })
  }
})

test('an event is what its data says; comments, other lines and what is no JSON are passed over', () => {
  const heard: unknown[] = []
  for (const block of [': still here', 'event: x\ndata: {"a":1}', 'data: {"b":\ndata: 2}', 'data: no', 'id: 4', '']) {
    tell(block, (news) => heard.push(news))
  }
  assert.deepEqual(heard, [{ a: 1 }, { b: 2 }])
})
