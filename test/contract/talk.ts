import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { MAX_TALK_LINES, type Say, TALK_LIMIT } from '../../src/core/incident/decide-talk.ts'
import { talkEvent } from '../../src/core/incident/talk.ts'
import { COMMAND, entry } from '../../src/core/operator/audit.ts'
import { HOUR } from '../../src/lib/durations.ts'
import type { Notice, SaidLine } from '../../src/ports/store.ts'
import { momentAt } from '../core/build.ts'
import { until } from '../harness/wait.ts'
import { incidentOf, type StoreUnderTest, siteIn } from './site.ts'

const person = { side: 'person', channel: 'app', senderId: '', name: 'Mia', phone: null } as const
const eva = { side: 'operator', channel: 'console', senderId: 'op-1', name: 'Eva', phone: null } as const

const say = (key: string, more: Partial<Say> = {}): Say => ({
  now: momentAt(10),
  from: person,
  key,
  text: `text of ${key}`,
  quickReply: null,
  to: null,
  isDeskStaffed: false,
  ...more,
})
function said(answer: object): SaidLine {
  if ('refused' in answer) assert.fail(`refused: ${String(answer.refused)}`)
  return answer as SaidLine
}
const refusal = (answer: object): unknown => ('refused' in answer ? answer.refused : null)

/** rules.md#talk. */
export function talkContract(subject: StoreUnderTest): void {
  suite('the talk of an alarm', () => {
    test('lines are stored once, in order, for those named, and read back as they are', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana', 'Ben'] })
      const ask = { openOf: user.id, incidentId: null }
      assert.equal(refusal(await store.addTalkLine(ask, say('none-open'))), 'incident_not_found')
      const incident = incidentOf(await user.presses(0))
      const [ana] = incident.contacts
      await store.markContact(user.id, ana!.contactId, { what: 'start', phone: ana!.phone, now: momentAt(1) })
      const first = said(await store.addTalkLine(ask, say('first-line', { quickReply: 'yes' })))
      assert.equal(first.isNew, true)
      assert.equal(first.incident.id, incident.id)
      const again = said(await store.addTalkLine(ask, say('first-line', { text: 'other' })))
      assert.deepEqual([again.isNew, again.line], [false, first.line])
      const key = { incidentId: incident.id }
      const second = said(await store.addTalkLine(key, say('first-line', { from: eva, to: 'desk' })))
      assert.deepEqual([second.isNew, second.line.n, second.line.toDesk], [true, 2, true])
      assert.deepEqual(await store.talkLines(incident.id, 0, 10), [first.line, second.line])
      const heard = async () => {
        const { messageAt, heardAt } = (await store.boardRecord(incident.id)) ?? {}
        return [messageAt, heardAt]
      }
      assert.deepEqual(await heard(), [undefined, momentAt(10)], 'an operator wrote last')
      assert.equal(refusal(await store.addTalkLine(ask, say('to-answer', { now: momentAt(11) }))), null)
      assert.deepEqual(await heard(), [momentAt(11), momentAt(11)])
      assert.deepEqual(await store.talkLines(incident.id, 1, 1), [
        { ...first.line, n: 3, at: momentAt(11), key: 'to-answer', text: 'text of to-answer', quickReply: null },
      ])
      assert.equal((await store.talkLines(incident.id, 1, 10)).length, 2)
      assert.deepEqual(await store.talkLines('nowhere', 0, 10), [])
    })

    test('a line for a named alarm of the user never goes into another one, or another user’s', async (t) => {
      const { store, user, application } = await siteIn(subject, t)
      const first = incidentOf(await user.presses(0))
      await user.does(5, { type: 'cancel' } as never)
      const second = incidentOf(await user.presses(60))
      const to = (incidentId: string) => ({ openOf: user.id, incidentId })
      assert.equal(refusal(await store.addTalkLine(to(first.id), say('too-late'))), 'incident_closed')
      assert.equal(refusal(await store.addTalkLine(to(second.id), say('in-time1'))), null)
      const other = { appId: application.id, externalUserId: 'hiker-2', id: 'other', now: momentAt(-900) }
      const { id } = await store.ensureUser(other)
      const foreign = { openOf: id, incidentId: second.id }
      assert.equal(refusal(await store.addTalkLine(foreign, say('foreign1'))), 'incident_not_found')
      assert.deepEqual(
        (await store.talkLines(second.id, 0, 9)).map(({ key }) => key),
        ['in-time1'],
      )
    })

    test('who reads is decided by the contacts as they are stored then', async (t) => {
      const { store, user } = await siteIn(subject, t, { contacts: ['Ana', 'Ben'] })
      const incident = incidentOf(await user.presses(0))
      const [ana, ben] = incident.contacts.map(({ contactId }) => contactId)
      const by = (senderId: string) => ({ side: 'contact', channel: 'page', senderId, name: 'A', phone: null }) as const
      const key = { incidentId: incident.id }
      await user.does(15, {
        type: 'acknowledge',
        contactId: ana!,
        promise: { kind: 'coming', etaMinutes: 10 },
      } as never)
      assert.equal(refusal(await store.addTalkLine(key, say('unproved', { from: by(ana!) }))), 'not_a_reader')
      await confirms(ana!)
      assert.equal(refusal(await store.addTalkLine(key, say('from-ana', { from: by(ana!) }))), null)
      assert.equal(refusal(await store.addTalkLine(key, say('from-ben', { from: by(ben!) }))), 'not_a_reader')
      const ask = { openOf: user.id, incidentId: null }
      assert.deepEqual(said(await store.addTalkLine(ask, say('to-those'))).line.readers, [ana])
      await store.updateContact(user.id, ana!, { phone: '+436609999999' }, momentAt(20))
      assert.deepEqual(said(await store.addTalkLine(ask, say('to-nobody'))).line.readers, [])

      async function confirms(contactId: string): Promise<void> {
        const token = `token-of-${contactId}`
        const limits = { perDay: 9, perNumber: 9 }
        await store.requestVerification(user.id, contactId, { token, now: momentAt(16), ...limits } as never)
        await store.answerVerification(token, 'confirmed', momentAt(17))
      }
    })

    test('60 an hour, whoever asks at once, and a side keeps its newest', async (t) => {
      const { store, user } = await siteIn(subject, t)
      const { id } = incidentOf(await user.presses(0))
      const ask = { openOf: user.id, incidentId: null }
      const many = Array.from({ length: TALK_LIMIT.times + 3 }, (_, n) => say(`line-${n}-of-many`))
      const answers = await Promise.all(many.map((one) => store.addTalkLine(ask, one)))
      assert.equal(answers.filter((one) => refusal(one) === null).length, TALK_LIMIT.times)
      assert.equal(answers.filter((one) => refusal(one) === 'too_many_messages').length, 3)
      assert.equal(refusal(await store.addTalkLine({ incidentId: id }, say('desk-line', { from: eva }))), null)
      for (let hour = 2, left = MAX_TALK_LINES; left > 0; hour += 1, left -= TALK_LIMIT.times) {
        const now = momentAt(0) + hour * HOUR
        const more = many.slice(3).map(({ key }) => store.addTalkLine(ask, say(`${key}-${hour}`, { now })))
        assert.deepEqual(
          (await Promise.all(more)).map(refusal),
          more.map(() => null),
        )
      }
      const kept = await store.talkLines(id, 0, 2 * MAX_TALK_LINES)
      assert.equal(kept.filter(({ side }) => side === 'person').length, MAX_TALK_LINES)
      assert.equal(kept.filter(({ side }) => side === 'operator').length, 1, 'of another side')
    })

    test('an operator’s line leaves its row of the audit log, and a retry no second one', async (t) => {
      const { store, user } = await siteIn(subject, t)
      const { id } = incidentOf(await user.presses(0))
      const audit = entry({ at: momentAt(6), actor: COMMAND, action: 'incident.message', subject: id })
      for (const _again of [1, 2]) await store.addTalkLine({ incidentId: id }, say('desk-line', { from: eva }), audit)
      const { items } = await store.auditRows({ after: null, limit: 10 })
      assert.deepEqual(
        items.map(({ action }) => action),
        ['incident.message'],
      )
    })

    test('other processes hear each line once, as the person gets it', async (t) => {
      const { store, user, place } = await siteIn(subject, t)
      const { id } = incidentOf(await user.presses(0))
      const other = await place.open({ leaveNotices: true })
      const heard: Notice[] = []
      await store.onNotice((notice) => heard.push(notice))
      const { line, incident } = said(await other.addTalkLine({ incidentId: id }, say('desk-line', { from: eva })))
      await until('the notice', () => heard.length > 0)
      assert.deepEqual(heard, [{ kind: 'talk', said: JSON.parse(JSON.stringify(talkEvent(incident, line))) }])
    })

    test('the open alarms are found, the last one first, and no exercise', async (t) => {
      const site = await siteIn(subject, t)
      const { store, user, application } = site
      const other = await site.newUser('hiker-2')
      const open = async (max: number) => (await store.openTalks(max)).map(({ userId }) => userId)
      assert.deepEqual(await open(9), [])
      const { id } = incidentOf(await user.presses(0))
      await other.presses(5)
      assert.deepEqual(await open(9), [other.id, user.id])
      assert.deepEqual(await open(1), [other.id])
      await other.does(15, { type: 'cancel' } as never)
      assert.deepEqual(await store.openTalks(9), [{ appId: application.id, userId: user.id, incidentId: id }])
    })

    test('goes with its incident, by retention and by erasure', async (t) => {
      const { store, user, application } = await siteIn(subject, t, { actuators: {} })
      const { id } = incidentOf(await user.presses(0))
      const ask = { openOf: user.id, incidentId: null }
      await store.addTalkLine(ask, say('first-line'))
      await user.does(15, { type: 'cancel' } as never)
      assert.equal((await store.talkLines(id, 0, 9)).length, 1)
      await store.deleteExpired('incidents', { before: momentAt(1e6), max: 1000, from: '' })
      assert.deepEqual([await store.incident(id), await store.talkLines(id, 0, 9)], [null, []])

      const next = incidentOf(await user.presses(100))
      await store.addTalkLine(ask, say('next-line', { now: momentAt(101) }))
      await user.does(110, { type: 'cancel' } as never)
      for (let done = false; !done; ) {
        const batch = await store.eraseUser(application.id, 'hiker-1', 2)
        if ('refused' in batch) assert.fail(batch.refused)
        done = batch.done
      }
      assert.deepEqual(await store.talkLines(next.id, 0, 9), [])
    })
  })
}
