import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Incident } from '../../../src/core/incident/incident.ts'
import { personNews } from '../../../src/core/incident/person-news.ts'
import { personNewsText, pushTitle } from '../../../src/core/message/push-text.ts'
import { type Language, phrases } from '../../../src/core/text/phrases.ts'

const NOW = 1_000
const active = { status: 'active', acknowledgedAt: null, closedAt: null }
const acknowledged = { ...active, status: 'acknowledged', acknowledgedAt: NOW }
const over = { ...acknowledged, status: 'resolved', closedAt: NOW + 9 }
const ana = { contactId: 'ana', name: 'Ana', acknowledgedAt: NOW }
const ben = { contactId: 'ben', name: 'Ben', acknowledgedAt: NOW + 1 }
const coming = (etaMinutes: number) => ({ response: { kind: 'coming', etaMinutes, at: NOW + 2, round: 1 } })
const told = [{ purpose: 'alarm', status: 'sent' }]

/** Of the record, what news are made of. */
const incident = (given: object): Incident =>
  ({
    ...{ id: 'i', openedAt: 5, snapshotVersion: 7, state: active, contacts: [], deliveries: [], folded: [] },
    ...{ closing: null, ...given },
  }) as unknown as Incident
const by = (who: string, name: string | null = null) => ({ closing: { by: who, name, hours: null } })

for (const [what, given, text] of [
  ['a press', {}, null],
  ['an answer', { state: acknowledged, contacts: [ana] }, 'Ana has answered your alarm.'],
  ['an exercise', { state: acknowledged, contacts: [ana], drill: {} }, null],
  ['a silent emergency', { state: acknowledged, contacts: [ana], silent: true }, null],
  ['its end', { state: over, silent: true, ...by('operator') }, null],
  [
    'the newest answer',
    { state: acknowledged, contacts: [{ ...ana, ...coming(10) }, ben] },
    'Ana is coming, in about 10 min.',
  ],
  ['somebody else', { state: acknowledged, contacts: [ana, ben] }, 'Ben has answered your alarm.'],
  [
    'one removed before',
    { state: acknowledged, contacts: [ana, { ...ben, gone: true }] },
    'Ana has answered your alarm.',
  ],
  [
    'an operator',
    { state: acknowledged, takenBy: { at: NOW, name: null } },
    'The rescue desk has answered your alarm.',
  ],
  [
    'a name of nothing',
    { state: acknowledged, contacts: [{ ...ana, name: '\u2800' }] },
    'Someone has answered your alarm.',
  ],
  [
    'nobody any more',
    { state: acknowledged, contacts: [{ ...ana, acknowledgedAt: null, response: { kind: 'unable' } }] },
    'The person who answered can no longer help. The others are being alerted.',
  ],
  [
    'a timer',
    { overdue: { dueAt: 1, note: null } },
    'You did not report back in time. Your contacts are being alerted. Are you fine? Open the app.',
  ],
  ['an end', { state: over, ...by('contact', 'Ana') }, 'Ana has ended your alarm. Still in danger? Press again.'],
  ['no name', { state: over, ...by('operator') }, 'Your alarm is over. Still in danger? Press again.'],
  [
    'the system',
    { state: over, ...by('system') },
    'Your alarm was closed automatically. Still in danger? Press again.',
  ],
  [
    'one of their phones',
    { state: over, ...by('user', 'Mia'), deliveries: told },
    'Your alarm was ended from one of your phones. Still in danger? Press again.',
  ],
] as const) {
  test(`the news of ${what}`, () => {
    const found = personNews(incident(given))
    assert.equal(found && personNewsText('en', found.news), text)
  })
}

test('marks: other news are told apart, an end is the newest, and a press taken back is none by itself', () => {
  const mark = (given: object) => personNews(incident(given))!.mark
  const answered = mark({ state: acknowledged, contacts: [{ ...ana, ...coming(10) }, ben] })
  assert.deepEqual(answered, {
    told: 'i ana:coming10 ben:answered',
    since: 5,
    version: 7,
    isEnd: false,
    onlyIfTold: false,
  })
  assert.deepEqual(mark({ state: acknowledged, contacts: [ben, { ...ana, ...coming(10) }] }), answered)
  assert.equal(mark({ state: over, ...by('operator') }).version > answered.version, true)
  const taken = { state: over, ...by('user') }
  assert.deepEqual([mark(taken).onlyIfTold, mark({ ...taken, deliveries: told }).onlyIfTold], [true, false])
  assert.equal(mark({ state: acknowledged }).onlyIfTold, true)
})

test('in every language: a short title without a name of the person, and nothing left to fill in', () => {
  for (const language of Object.keys(phrases) as Language[]) {
    assert.match(pushTitle(language, 'Hut http://x.test/'), /Hut/)
    for (const news of [
      ...(['coming', 'calling', 'answered'] as const).map((kind) => ({ kind, name: 'Ana', etaMinutes: 5 })),
      ...(['withdrawn', 'overdue'] as const).map((kind) => ({ kind })),
      ...(['user', 'system', 'other'] as const).map((endedBy) => ({ kind: 'over' as const, endedBy, name: null })),
    ]) {
      assert.doesNotMatch(personNewsText(language, news as Parameters<typeof personNewsText>[1]), /[{}]|undefined/)
    }
  }
})
