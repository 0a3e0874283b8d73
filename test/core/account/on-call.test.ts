import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decideOnCallChange, withTold } from '../../../src/core/account/decide-on-call.ts'
import {
  dutiesBetween,
  inTurnAt,
  nextHandOver,
  type OnCall,
  onDutyAt,
  withAccounts,
} from '../../../src/core/account/on-call.ts'
import { onCallFindings } from '../../../src/core/account/on-call-findings.ts'
import { onCallFields, overrideFields } from '../../../src/core/account/on-call-schema.ts'
import { DAY, HOUR } from '../../../src/lib/durations.ts'

// on-call.md: who is on duty at a moment.

const person = (name: string, place: number) => ({
  id: `0199aaaa-0000-7000-8000-00000000000${place}`,
  name,
  phone: `+4366000000${place}`,
  language: 'en',
  operatorId: null,
  told: null,
})
const [ana, ben, eva] = [person('Ana', 1), person('Ben', 2), person('Eva', 3)]
const list = (more: Partial<OnCall> = {}): OnCall => ({
  timeZone: 'Europe/Vienna',
  handOverAt: '08:00',
  startsOn: '2026-03-23',
  everyDays: 7,
  order: [ana.id, ben.id],
  afterMinutes: 5,
  people: [ana, ben, eva],
  overrides: [],
  version: 1,
  reviewedAt: 0,
  ...more,
})
const at = (iso: string): number => Date.parse(iso)
const override = (id: string, who: typeof ana, from: string, until: string) => ({
  ...{ id, personId: who.id, from: at(from), until: at(until), setAt: 0 },
})

suite('who is on duty', () => {
  const days = list({ everyDays: 1 })
  const early = list({ everyDays: 1, handOverAt: '02:30' })
  const twice = list({
    overrides: [
      override('a', eva, '2026-03-24T18:00Z', '2026-03-25T06:00Z'),
      override('b', ben, '2026-03-24T22:00Z', '2026-03-25T02:00Z'),
    ],
  })
  const without = (given: OnCall, ...names: readonly string[]): OnCall => {
    const people = given.people.map((one) => ({ ...one, operatorId: one.name }))
    return withAccounts({ ...given, people }, names)
  }
  const cases: readonly [what: string, OnCall, moment: string, name: string | null][] = [
    ['nobody before it starts', list(), '2026-03-23T06:59Z', null],
    ['the first week', list(), '2026-03-23T07:00Z', 'Ana'],
    ['the hand-over is at its hour in summer time as well', list(), '2026-03-30T05:59Z', 'Ana'],
    ['and not an hour later', list(), '2026-03-30T06:00Z', 'Ben'],
    ['the turns start again', list(), '2026-04-06T06:00Z', 'Ana'],
    ['days', days, '2026-03-24T07:00Z', 'Ben'],
    ['an hour that is skipped: the day before goes on until then', early, '2026-03-29T00:59Z', 'Ben'],
    ['and the next one begins at most an hour later', early, '2026-03-29T02:00Z', 'Ana'],
    ['an hour that comes twice hands over once', early, '2026-10-25T01:31Z', 'Ana'],
    ['and not back', early, '2026-10-25T02:29Z', 'Ana'],
    ['nobody takes turns', list({ order: [] }), '2026-03-24T12:00Z', null],
    ['an override', twice, '2026-03-24T19:00Z', 'Eva'],
    ['of two that overlap, the one set later', twice, '2026-03-24T23:00Z', 'Ben'],
    ['and the other one behind it', twice, '2026-03-25T03:00Z', 'Eva'],
    ['then the rotation', twice, '2026-03-25T06:00Z', 'Ana'],
    ['an account is disabled: the next in turn', without(list(), 'Ana'), '2026-03-24T12:00Z', 'Ben'],
    ['of an override: the one behind it', without(twice, 'Ben'), '2026-03-24T23:00Z', 'Eva'],
    ['of all overrides: the rotation', without(twice, 'Ben', 'Eva'), '2026-03-24T23:00Z', 'Ana'],
    ['everybody’s account is disabled', without(list(), 'Ana', 'Ben', 'Eva'), '2026-03-24T12:00Z', null],
    ['somebody who has left the list: the next in turn', list({ people: [ben] }), '2026-03-24T12:00Z', 'Ben'],
  ]
  for (const [what, given, moment, name] of cases) {
    test(what, () => assert.equal(onDutyAt(given, at(moment)).person?.name ?? null, name))
  }

  test('those to be alerted one after the other: who is on duty, then who takes turns, nobody twice', () => {
    const names = (given: OnCall, moment: string) => inTurnAt(given, at(moment)).map(({ name }) => name)
    const three = list({ order: [ana.id, ben.id, ana.id, eva.id] })
    assert.deepEqual(names(three, '2026-03-31T12:00Z'), ['Ben', 'Ana', 'Eva'])
    assert.deepEqual(names(without(three, 'Ben'), '2026-03-31T12:00Z'), ['Ana', 'Eva'])
    assert.deepEqual(names(twice, '2026-03-24T19:00Z'), ['Eva', 'Ana', 'Ben'])
    assert.deepEqual(names(list(), '2026-03-20T12:00Z'), [], 'before it starts')
  })

  test('what an account says is found, and changes nothing that is stored', () => {
    const told = { at: 1, phone: ana.phone, accepted: true }
    const given = {
      ...list(),
      people: [ana, ben].map((one) => ({ ...one, told })),
      reviewedAt: at('2026-03-24T12:00Z'),
    }
    assert.deepEqual(onCallFindings(without(given, 'Ana'), at('2026-03-24T12:00Z')), [
      { code: 'on_call_disabled', names: ['Ana'] },
    ])
    assert.deepEqual(without(without(given, 'Ana')), without(given))
  })

  test('the duties of a week have no holes, and say where nobody is on duty', () => {
    const given = list({ overrides: [override('a', eva, '2026-03-22T07:00Z', '2026-03-22T19:00Z')] })
    const duties = dutiesBetween(given, at('2026-03-22T00:00Z'), at('2026-04-01T00:00Z'))
    assert.deepEqual(
      duties.map(({ from, person: who }) => [new Date(from).toISOString().slice(0, 16), who?.name ?? null]),
      [
        ['2026-03-22T00:00', null],
        ['2026-03-22T07:00', 'Eva'],
        ['2026-03-22T19:00', null],
        ['2026-03-23T07:00', 'Ana'],
        ['2026-03-30T06:00', 'Ben'],
      ],
    )
    assert.equal(duties.at(-1)?.until, at('2026-04-01T00:00Z'))
  })

  test('around every change of the clocks somebody is on duty, and each day has one hand-over', () => {
    const changes = {
      'Europe/Vienna': ['2026-03-29', '2026-10-25'],
      'America/St_Johns': ['2026-03-08', '2026-11-01'],
      'Australia/Lord_Howe': ['2026-04-05', '2026-10-04'],
    }
    for (const [timeZone, days] of Object.entries(changes)) {
      for (const [day, handOverAt] of days.flatMap((one) => ['01:45', '02:30'].map((hour) => [one, hour] as const))) {
        const given = list({ timeZone, handOverAt, everyDays: 1, startsOn: '2025-01-01' })
        const from = at(`${day}T00:00Z`) - DAY
        const names = Array.from({ length: 160 }, (_, n) => onDutyAt(given, from + n * (HOUR / 2)).person?.name)
        assert.ok(names.every((name) => name !== undefined))
        const handedOver = names.flatMap((name, n) => (n > 0 && name !== names[n - 1] ? [n / 2] : []))
        const hours = handedOver.slice(1).map((hour, n) => hour - handedOver[n]!)
        assert.ok(hours.length >= 2 && hours.every((many) => many >= 23 && many <= 25), `${timeZone} ${day}: ${hours}`)
      }
    }
  })

  test('tonight lasts until the next hand-over', () => {
    assert.equal(nextHandOver(list(), at('2026-03-28T20:00Z')), at('2026-03-29T06:00Z'))
    assert.equal(nextHandOver(list(), at('2026-03-29T06:00Z')), at('2026-03-30T06:00Z'))
  })

  test('a midnight that a clock change skips hands over once, and what is shown of that night is what counts', () => {
    const chile = list({ timeZone: 'America/Santiago', handOverAt: '00:00', everyDays: 1, startsOn: '2026-09-01' })
    const [from, until] = [at('2026-09-05T12:00Z'), at('2026-09-08T12:00Z')]
    const shown = dutiesBetween(chile, from, until)
    for (let now = from; now < until; now += HOUR / 4) {
      assert.ok(nextHandOver(chile, now) > now, new Date(now).toISOString())
      const duty = shown.find((one) => one.from <= now && now < one.until)
      assert.equal(duty?.person, onDutyAt(chile, now).person, new Date(now).toISOString())
    }
    assert.equal(shown.length, 4)
  })
})

suite('changes of the on-call list', () => {
  const NOW = at('2026-03-24T12:00Z')
  const given = (version: number) =>
    onCallFields.parse({
      version,
      startsOn: '2026-03-23',
      order: [ana.id],
      people: [{ id: ana.id, name: 'Ana', phone: ana.phone, language: 'en' }],
    })
  const set = (before: OnCall | null, version: number, fields = given(version)) =>
    decideOnCallChange(before, { kind: 'set', given: fields, now: NOW, defaultTimeZone: 'Europe/Rome' })
  const updated = (result: ReturnType<typeof decideOnCallChange>): OnCall => {
    assert.ok('update' in result, JSON.stringify(result))
    return result.update
  }

  test('the first has version 0; nobody overwrites what they have not seen', () => {
    const first = updated(set(null, 0))
    assert.deepEqual([first.version, first.timeZone, first.handOverAt, first.everyDays], [1, 'Europe/Rome', '08:00', 7])
    assert.deepEqual(set(first, 0), { refused: 'on_call_changed' })
    assert.equal(updated(set(first, 1)).version, 2)
    const taken = decideOnCallChange(first, { kind: 'override', override: lasting(1), isOwn: true })
    assert.ok('update' in taken)
    assert.equal(updated(set(taken.update, 1)).overrides.length, 1, 'who takes a duty keeps nobody from saving')
  })

  test('a list is set as it was read, and what cannot be set is ignored; a field that nobody knows is not', () => {
    const fields = given(1)
    const [one] = fields.people
    const read = { ...one!, disabled: true, told: { at: '2026-03-01T00:00:00.000Z', accepted: false } }
    const sent = { ...fields, people: [read], overrides: [{ id: 'a' }], reviewedAt: '2026-03-01T00:00:00.000Z' }
    assert.deepEqual(onCallFields.parse(sent), fields)
    const typo = onCallFields.safeParse({ ...sent, people: [{ ...read, operator: 'ivo' }] })
    assert.match(JSON.stringify(typo.error?.issues), /operator/)
  })

  test('a number that was told stays so, a new one is told; overrides of people who have left end', () => {
    const told = { at: 1, phone: ana.phone, accepted: true }
    const before = withTold(list(), { personId: ana.id, ...told })
    assert.ok(before !== null)
    const overridden = { ...before, overrides: [override('a', eva, '2026-03-24T18:00Z', '2026-03-25T06:00Z')] }
    const same = updated(set(overridden, 1))
    assert.deepEqual([same.people[0]?.told, same.overrides], [told, []])
    const fields = given(1)
    const other = { ...fields, people: [{ ...fields.people[0]!, phone: '+43660111' }] }
    assert.equal(updated(set(before, 1, other)).people[0]?.told, null)
    assert.equal(withTold(list(), { personId: ana.id, ...told, phone: '+431' }), null, 'corrected meanwhile')
  })

  const lasting = (days: number, more: Partial<OnCall['overrides'][number]> = {}) => ({
    ...{ id: 'x', personId: ana.id, from: NOW, until: NOW + days * DAY, setAt: NOW, ...more },
  })
  const refusals: readonly [string, OnCall | null, ReturnType<typeof lasting>, isOwn: boolean, string][] = [
    ['there is no list', null, lasting(1), false, 'on_call_person_not_found'],
    ['a stranger', list(), lasting(1, { personId: 'nobody' }), false, 'on_call_person_not_found'],
    ['it ends before it begins', list(), lasting(-1), false, 'override_invalid'],
    ['it is over', list(), lasting(0, { from: NOW - DAY, until: NOW }), false, 'override_invalid'],
    ['a month of one’s own', list(), lasting(31), true, 'override_invalid'],
    ['a quarter', list(), lasting(90), false, 'override_invalid'],
    [
      'a hundred of them',
      list({ overrides: Array.from({ length: 100 }, (_, n) => lasting(1, { id: `${n}` })) }),
      lasting(1),
      false,
      'too_many_overrides',
    ],
    [
      'twenty of one’s own, so that nobody fills the list',
      list({ overrides: Array.from({ length: 20 }, (_, n) => lasting(1, { id: `${n}` })) }),
      lasting(1),
      true,
      'too_many_overrides',
    ],
  ]
  for (const [what, before, one, isOwn, refused] of refusals) {
    test(`refused: ${what}`, () =>
      assert.deepEqual(decideOnCallChange(before, { kind: 'override', override: one, isOwn }), { refused }))
  }

  test('a moment outside this century is refused: its duties could not be counted', () => {
    const taken = (until: string) => overrideFields.safeParse({ until }).success
    assert.deepEqual(
      ['2026-03-25T06:00:00+01:00', '9999-12-31T23:00:00Z', '9999-12-31T23:00:00-10:00', '0000-01-01T00:00:00Z'].map(
        taken,
      ),
      [true, false, false, false],
    )
  })

  test('one’s own override is removed by oneself, and those that ended long ago go with any change', () => {
    const old = lasting(0, { id: 'old', from: NOW - 20 * DAY, until: NOW - 10 * DAY })
    const before = list({ overrides: [old, lasting(1)] })
    const remove = (ownerId: string | null) =>
      decideOnCallChange(before, { kind: 'remove', id: 'x', ownerId, now: NOW })
    assert.deepEqual(remove(ben.id), { refused: 'override_not_found' })
    assert.deepEqual(updated(remove(ana.id)).overrides, [])
    assert.deepEqual(updated(remove(null)).overrides, [])
  })

  const wrong: readonly [string, Record<string, unknown>, RegExp][] = [
    ['a turn of nobody', { order: [ben.id] }, /names somebody who is not among/],
    ['two people with one number', { people: [0, 1].map((n) => ({ ...peopleOf(n) })) }, /one number/],
    ['a date that does not exist', { startsOn: '2026-02-30' }, /must be a date/],
    ['no time of day', { handOverAt: '24:00' }, /time of day/],
    ['no time zone', { timeZone: 'Mars/Olympus' }, /time zone/],
  ]
  function peopleOf(n: number) {
    return { id: n === 0 ? ana.id : ben.id, name: `P${n}`, phone: ana.phone, language: 'en' }
  }
  for (const [what, fields, message] of wrong) {
    test(`no list: ${what}`, () => {
      const { error } = onCallFields.safeParse({ version: 0, startsOn: '2026-03-23', order: [], people: [], ...fields })
      assert.match(JSON.stringify(error?.issues), message)
    })
  }
})
