import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type AuditEntry, COMMAND, entry } from '../../src/core/operator/audit.ts'
import { HAND_OVER_MS } from '../../src/core/operator/shift.ts'
import { momentAt } from '../core/build.ts'
import { settled } from './operator-accounts.ts'
import { type StoreUnderTest, siteIn } from './site.ts'

const done = (action: AuditEntry['action']): AuditEntry => entry({ at: momentAt(0), actor: COMMAND, action })

export function shiftContract(subject: StoreUnderTest): void {
  suite('shifts', () => {
    test('an offer is answered once, in time, by the one it is for, and each answer has its row', async (t) => {
      const { store } = await siteIn(subject, t)
      const [eva, ivo, lea] = [await settled(store, 'eva'), await settled(store, 'ivo'), await settled(store, 'lea')]
      const [fromId, toId] = [eva.operator.id, ivo.operator.id]
      const offers = (seconds: number, to = toId) =>
        store.offerHandOver({ fromId, toId: to, offeredAt: momentAt(seconds) }, done('shift.hand_over'))
      const answers = (at: number, to = toId, answer: 'accepted' | 'declined' = 'accepted') =>
        store.answerHandOver(
          { fromId, toId: to, answer, at },
          done(`shift.${answer === 'accepted' ? 'accept' : 'decline'}`),
        )
      const over = { refused: 'offer_over' }
      assert.deepEqual(await answers(momentAt(1)), over, 'there is none')
      await offers(0)
      assert.deepEqual(await answers(momentAt(1), lea.operator.id), over, 'it is for Ivo')
      assert.deepEqual(await answers(momentAt(0) + HAND_OVER_MS), over, 'it has lapsed')
      assert.deepEqual(await answers(momentAt(5)), { answered: true })
      assert.deepEqual(await answers(momentAt(6), toId, 'declined'), over, 'it has been answered')
      assert.deepEqual(await store.handOvers(), [
        { fromId, toId, offeredAt: momentAt(0), answer: 'accepted', answeredAt: momentAt(5) },
      ])
      await offers(10, lea.operator.id)
      assert.deepEqual(await store.handOvers(), [
        { fromId, toId: lea.operator.id, offeredAt: momentAt(10), answer: null, answeredAt: null },
      ])
      assert.deepEqual(await store.removeHandOver(fromId, done('shift.withdraw')), { removed: true })
      assert.deepEqual(await store.removeHandOver(fromId, done('shift.withdraw')), over)
      assert.deepEqual(await store.handOvers(), [])
      const rows = (await store.auditRows({ after: null, limit: 100 })).items.map(({ action }) => action)
      assert.deepEqual(
        rows.filter((action) => action.startsWith('shift.')),
        ['shift.withdraw', 'shift.hand_over', 'shift.accept', 'shift.hand_over'],
      )
    })

    test('of each operator the newest note is kept until it is confirmed as it was read', async (t) => {
      const { store, application } = await siteIn(subject, t)
      const [eva, ivo] = [await settled(store, 'eva'), await settled(store, 'ivo')]
      const note = (
        operatorId: string,
        seconds: number,
        text: string,
        applications: readonly string[] | null = null,
      ) => ({
        ...{ operatorId, at: momentAt(seconds), text, applications },
      })
      await store.keepShiftNote(note(eva.operator.id, 1, 'old'), done('shift.note'))
      await store.keepShiftNote(note(ivo.operator.id, 2, 'Ivo', [application.id]), done('shift.note'))
      await store.keepShiftNote(note(eva.operator.id, 3, 'new'), done('shift.note'))
      assert.deepEqual(await store.shiftNotes(), [
        note(ivo.operator.id, 2, 'Ivo', [application.id]),
        note(eva.operator.id, 3, 'new'),
      ])
      const gone = { refused: 'shift_note_not_found' }
      const confirms = (seconds: number, audit: AuditEntry | null = done('shift.confirm')) =>
        store.removeShiftNote({ operatorId: eva.operator.id, at: momentAt(seconds) }, audit)
      assert.deepEqual(await confirms(1), gone, 'that was another note')
      assert.deepEqual(await confirms(3), { removed: true })
      assert.deepEqual(await confirms(3), gone)
      assert.equal((await store.shiftNotes()).length, 1)
    })

    test('open alarms are found by who has them, or has left with them, and no longer once that is settled', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'], settings: { watchMinutes: 30 } })
      const { store, application, user } = site
      const other = await site.newUser('hiker-2')
      const ids = [user, other].map(async (one, n) => (await one.presses(n)).incident!.id)
      const [first, second] = await Promise.all(ids)
      const owned = async (owner: string) => (await store.ownedIncidents(owner, 10)).map(({ incidentId }) => incidentId)
      assert.deepEqual(await store.ownerIds(), [])
      for (const one of [user, other]) {
        await one.does(20, { type: 'acknowledge', contactId: null, name: 'Eva', operatorId: 'eva' })
      }
      assert.deepEqual(await store.ownerIds(), ['eva'])
      assert.deepEqual(await store.ownedIncidents('eva', 1), [
        { incidentId: first, appId: application.id, userId: user.id },
      ])
      await user.does(30, { type: 'takeOver', operatorId: 'ivo', name: 'Ivo', from: 'eva' })
      assert.deepEqual([(await store.ownerIds()).toSorted(), await owned('ivo')], [['eva', 'ivo'], [first]])
      await other.does(40, { type: 'leave', operatorId: 'eva', isAlone: false })
      assert.deepEqual(await owned('eva'), [second], 'whoever could take it may leave as well')
      await other.does(50, { type: 'leave', operatorId: 'eva', isAlone: true })
      assert.deepEqual(await owned('eva'), [])
      await user.does(60, { type: 'resolve' })
      assert.deepEqual(await store.ownerIds(), [])
      const again = (await store.boardRecord(second!))!.incident
      assert.equal(again.left?.alarmed, true)
    })

    test('all sessions say when they end', async (t) => {
      const { store } = await siteIn(subject, t)
      const { session } = await settled(store, 'eva')
      const { operatorId, createdAt, seenAt, expiresAt } = session
      assert.deepEqual(await store.sessionSpans(), [{ operatorId, createdAt, seenAt, expiresAt }])
    })
  })
}
