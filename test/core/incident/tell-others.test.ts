import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rankOf } from '../../../src/app/sending/turns.ts'
import type { HelpPromise } from '../../../src/core/incident/incident.ts'
import { failed, pressed, type Story, sent } from '../build.ts'

// rules.md#telling-others.

const settings = { voice: false, rounds: 1, tellOthers: true }
const people = { contacts: ['Ana', 'Ben', 'Cleo'], settings: { ...settings, contactIntervalSeconds: 30 } }
const coming = (etaMinutes: number): HelpPromise => ({ kind: 'coming', etaMinutes })
const calling: HelpPromise = { kind: 'calling' }
const answers = (sos: Story, seconds: number, name: string, promise?: HelpPromise) =>
  sos.does(seconds, { type: 'acknowledge', contactId: `contact-${name}`, ...(promise && { promise }) })
const declines = (sos: Story, seconds: number, name: string) =>
  sos.does(seconds, { type: 'decline', contactId: `contact-${name}` })
const toldIn = (sos: Story): readonly string[] => sos.news.filter((line) => line.includes('tell_others'))

test('who has been alarmed and has not answered reads that somebody is coming; who has not been alarmed does not', () => {
  const sos = pressed(people)
  sos.runTo(40)
  answers(sos, 45, 'Ana', coming(20))
  sos.runTo(50)
  assert.deepEqual(toldIn(sos), ['45 sms Ben tell_others'])
})

test('after calling comes coming, and nothing at a second helper', () => {
  const sos = pressed(people)
  sos.runTo(70)
  answers(sos, 75, 'Ana', calling)
  sos.runTo(80)
  answers(sos, 85, 'Ana', coming(20))
  sos.runTo(90)
  answers(sos, 95, 'Ben', coming(5))
  sos.runTo(100)
  assert.deepEqual(toldIn(sos), [
    '75 sms Ben tell_others',
    '75 sms Cleo tell_others',
    '85 sms Ben tell_others',
    '85 sms Cleo tell_others',
  ])
})

test('at most two an incident, however often helpers come and go', () => {
  const sos = pressed({ ...people, settings: { ...people.settings, realarmSeconds: 0 } })
  sos.runTo(70)
  for (const at of [100, 200, 300, 400]) {
    answers(sos, at, 'Ana', coming(20))
    sos.runTo(at + 10)
    declines(sos, at + 20, 'Ana')
    sos.runTo(at + 60)
  }
  assert.deepEqual(
    toldIn(sos).filter((line) => line.includes('Ben')),
    ['100 sms Ben tell_others', '200 sms Ben tell_others'],
  )
})

const nothingFor: readonly [what: string, happens: (sos: Story) => unknown][] = [
  ['an answer that says nothing about how', (sos) => answers(sos, 45, 'Ana')],
  ['an operator who takes it', (sos) => sos.does(45, { type: 'acknowledge', contactId: null, name: 'Kim' })],
  ['a contact who cannot help', (sos) => [declines(sos, 44, 'Ben'), answers(sos, 45, 'Ana', coming(20))]],
]

for (const [what, happens] of nothingFor) {
  test(`nothing is said to Ben for ${what}`, () => {
    const sos = pressed({ ...people, contacts: ['Ana', 'Ben'] })
    sos.runTo(40)
    happens(sos)
    sos.runTo(60)
    assert.deepEqual(toldIn(sos), [])
  })
}

test('nothing is said where the setting is off, in an incident of an earlier version neither', () => {
  const off = pressed({ ...people, settings: { ...people.settings, tellOthers: false } })
  const old = pressed(people)
  const { tellOthers: _, ...earlier } = old.incident.settings
  old.restores({ ...old.incident, settings: earlier as typeof old.incident.settings })
  for (const sos of [off, old]) {
    sos.runTo(40)
    answers(sos, 45, 'Ana', coming(20))
    sos.runTo(50)
    assert.deepEqual(toldIn(sos), [])
  }
})

test('a contact whose every message failed was not alarmed; one whose message may have arrived was', () => {
  for (const [outcome, expected] of [
    [failed('invalid number', false), []],
    [{ kind: 'unknown' }, ['45 sms Ben tell_others']],
  ] as const) {
    const sos = pressed({ ...people, contacts: ['Ana', 'Ben'], settings: { ...settings, contactIntervalSeconds: 0 } })
    sos.runTo(10, (row) => (row.contactId === 'contact-Ben' ? outcome : sent))
    answers(sos, 45, 'Ana', coming(20))
    sos.proceeds(45)
    const told = sos.incident.deliveries.filter(({ purpose }) => purpose === 'tell_others')
    assert.equal(told.length, expected.length)
  }
})

for (const [what, happens] of [
  ['the helper withdraws', (sos: Story) => declines(sos, 46, 'Ana')],
  ['the contact answers', (sos: Story) => answers(sos, 46, 'Ben')],
  ['the incident ends', (sos: Story) => sos.resolves(46)],
] as const) {
  test(`a text that still waits is not sent once ${what}`, () => {
    const sos = pressed({ ...people, contacts: ['Ana', 'Ben'] })
    sos.runTo(40)
    answers(sos, 45, 'Ana', coming(20))
    happens(sos)
    sos.runTo(50)
    assert.deepEqual(toldIn(sos), [])
  })
}

test('if the last helper withdraws, those who got it are alarmed again before the others', () => {
  const sos = pressed({
    contacts: ['Ana', 'Ben', 'Cleo', 'Dora'],
    settings: { ...settings, contactIntervalSeconds: 30 },
  })
  // Ben cannot be reached; Cleo is told that somebody comes, and Dora has not been alarmed yet.
  sos.runTo(75, (row) => (row.contactId === 'contact-Ben' ? failed('invalid number', false) : sent))
  answers(sos, 80, 'Ana', coming(20))
  sos.runTo(90)
  declines(sos, 100, 'Ana')
  const { claimed } = sos.proceeds(100)
  const alarms = claimed.filter(({ purpose }) => purpose === 'alarm')
  assert.deepEqual(
    alarms.map(({ contactId }) => contactId),
    ['contact-Cleo', 'contact-Ben', 'contact-Dora'],
  )
  const rank = (name: string) => {
    const row = alarms.find(({ contactId }) => contactId === `contact-${name}`)
    return rankOf({ purpose: 'alarm', first: row?.attempt === 1 || row?.leads === true })
  }
  assert.deepEqual(['Cleo', 'Dora', 'Ben'].map(rank), [0, 1, 1])
})

test('it goes behind every alarm at a provider', () => {
  const alarm = rankOf({ purpose: 'alarm', first: false })
  assert.ok(rankOf({ purpose: 'tell_others', first: true }) > alarm)
})
