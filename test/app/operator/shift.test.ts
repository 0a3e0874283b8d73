import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asker } from '../../../src/app/operator/incident-access.ts'
import { operatorShift } from '../../../src/app/operator/shift.ts'
import { settleShifts } from '../../../src/app/operator/shift-cases.ts'
import { ownerIdOf } from '../../../src/core/incident/owner.ts'
import type { AuditEntry } from '../../../src/core/operator/audit.ts'
import type { Operator } from '../../../src/core/operator/operator.ts'
import type { Grant } from '../../../src/core/operator/role.ts'
import {
  HAND_OVER_MS,
  offerStateOf,
  SHIFT_NOTE_MS,
  type ShiftNote,
  type ShiftOffer,
} from '../../../src/core/operator/shift.ts'
import { DAY, SECOND } from '../../../src/lib/durations.ts'
import { APP, momentAt, OWNER, pressed } from '../../core/build.ts'

/** Operators with a story that each of them may take, on a store in memory. */
function duty() {
  const story = pressed({ contacts: ['Ana'], settings: { voice: false, watchMinutes: 30 } })
  story.runTo(10)
  const time = { seconds: 20 }
  const now = () => momentAt(time.seconds)
  const operators: Operator[] = []
  const signedIn = new Set<string>()
  const rows: AuditEntry[] = []
  const offers = new Map<string, ShiftOffer>()
  const notes = new Map<string, ShiftNote>()
  const over = { refused: 'offer_over' } as const
  const store: Parameters<typeof settleShifts>[0]['store'] & Parameters<typeof operatorShift>[0]['store'] = {
    operators: async () => operators,
    sessionSpans: async () =>
      [...signedIn].map((operatorId) => ({ operatorId, createdAt: 0, seenAt: now(), expiresAt: now() + DAY })),
    handOvers: async () => [...offers.values()],
    shiftNotes: async () => [...notes.values()],
    async offerHandOver(offer, audit) {
      offers.set(offer.fromId, { ...offer, answer: null, answeredAt: null })
      rows.push(audit)
      return { offered: true }
    },
    async answerHandOver({ fromId, toId, answer, at }, audit) {
      const offer = offers.get(fromId)
      if (offer === undefined || offer.toId !== toId || offerStateOf(offer, at) !== 'offered') return over
      offers.set(fromId, { ...offer, answer, answeredAt: at })
      rows.push(audit)
      return { answered: true }
    },
    async removeHandOver(fromId, audit) {
      if (!offers.delete(fromId)) return over
      rows.push(audit)
      return { removed: true }
    },
    async keepShiftNote(note, audit) {
      notes.set(note.operatorId, note)
      rows.push(audit)
      return { kept: true }
    },
    async removeShiftNote({ operatorId, at }, audit) {
      if (notes.get(operatorId)?.at !== at) return { refused: 'shift_note_not_found' }
      notes.delete(operatorId)
      if (audit !== null) rows.push(audit)
      return { removed: true }
    },
    ownerIds: async () => [ownerIdOf(story.incident)].filter((id) => id !== null),
    ownedIncidents: async (ownerId) =>
      ownerIdOf(story.incident) === ownerId ? [{ incidentId: story.incident.id, appId: APP, userId: OWNER }] : [],
    incident: async () => ({ incident: story.incident }) as never,
    onCall: async () => null,
  }
  const door: Parameters<typeof settleShifts>[0]['door'] = {
    async change(_key, command, audit) {
      const { now: at, ...timeless } = command
      assert.equal(at, now())
      const decision = story.does(time.seconds, timeless as Parameters<typeof story.does>[1])
      if (audit !== undefined && decision.verdict === 'changed') rows.push(audit)
      return decision as never
    },
  }
  const parts = { store, door, clock: { now } }
  const signsIn = (name: string, grant: Partial<Grant> = {}): Asker => {
    const id = `id of ${name}`
    const role = { role: 'operator', applications: null, ...grant } as const
    operators.push({ id, login: name, name, ...role, disabled: false, createdAt: 0, updatedAt: 0, signedInAt: null })
    signedIn.add(id)
    return { actor: { kind: 'operator', id, name }, grant: role, address: '192.0.2.1' }
  }
  return {
    ...{ story, time, signsIn, rows, notes, offers, shift: operatorShift(parts) },
    takes: ({ actor: { id, name } }: Asker) =>
      story.does(time.seconds, { type: 'acknowledge', contactId: null, name, operatorId: id }),
    leaves: ({ actor: { id } }: Asker) => void signedIn.delete(id),
    settles: () => settleShifts({ ...parts, isDateBelieved: () => true }),
    /** Whose it is now. */
    owner: () => story.incident.takenBy?.name ?? null,
    log: () => rows.map(({ actor, action }) => `${actor.name} ${action}`),
  }
}
const refusal = (answer: object): unknown => ('refused' in answer ? answer.refused : null)

test('a hand-over counts once the other accepts; until then both see it, and the alarm stays where it is', async () => {
  const site = duty()
  const [eva, ivo, lea] = [site.signsIn('Eva'), site.signsIn('Ivo'), site.signsIn('Lea')]
  site.takes(eva)
  assert.equal(refusal(await site.shift.offer(eva, ivo.actor.id)), null)
  for (const [who, shown] of [
    [eva, 1],
    [ivo, 1],
    [lea, 0],
  ] as const) {
    const { handOvers, onShift } = await site.shift.view(who)
    assert.equal(handOvers.length, shown, who.actor.name)
    assert.deepEqual(
      onShift.map(({ name }) => name),
      ['Eva', 'Ivo', 'Lea'],
    )
  }
  assert.equal(site.owner(), 'Eva')
  assert.equal(refusal(await site.shift.answer(lea, eva.actor.id, 'accepted')), 'offer_over')
  assert.deepEqual(await site.shift.answer(ivo, eva.actor.id, 'accepted'), { taken: 1, left: 0 })
  assert.equal(site.owner(), 'Ivo')
  assert.deepEqual(site.story.incident.takenBy?.from, { operatorId: eva.actor.id, name: 'Eva', agreed: true })
  const [mine] = (await site.shift.view(eva)).handOvers
  assert.equal(mine?.state, 'accepted')
  assert.deepEqual((await site.shift.view(ivo)).handOvers, [])
  assert.equal(refusal(await site.shift.withdraw(eva)), null)
  assert.deepEqual((await site.shift.view(eva)).handOvers, [])
  assert.deepEqual(site.log(), [
    'Eva shift.hand_over',
    'Ivo shift.accept',
    'Ivo incident.take_over',
    'Eva shift.withdraw',
  ])
  assert.deepEqual(site.rows[2]?.details, { from: 'Eva' })
  assert.equal(site.rows[2]?.userId, OWNER, 'an erasure finds it')
})

test('an offer that nobody accepts lapses, one that is declined is over, and the giver sees both', async () => {
  const site = duty()
  const [eva, ivo] = [site.signsIn('Eva'), site.signsIn('Ivo')]
  site.takes(eva)
  await site.shift.offer(eva, ivo.actor.id)
  site.time.seconds += HAND_OVER_MS / SECOND
  assert.equal((await site.shift.view(eva)).handOvers[0]?.state, 'lapsed')
  assert.deepEqual((await site.shift.view(ivo)).handOvers, [])
  assert.equal(refusal(await site.shift.answer(ivo, eva.actor.id, 'accepted')), 'offer_over')
  assert.equal(site.owner(), 'Eva')
  await site.shift.offer(eva, ivo.actor.id)
  assert.deepEqual(await site.shift.answer(ivo, eva.actor.id, 'declined'), { taken: 0, left: 0 })
  assert.equal((await site.shift.view(eva)).handOvers[0]?.state, 'declined')
  assert.equal(site.owner(), 'Eva')
})

test('offers go to somebody who is on shift for the same application, and what they may not take stays', async () => {
  const site = duty()
  const eva = site.signsIn('Eva')
  const [gone, viewer, elsewhere] = [
    site.signsIn('Ivo'),
    site.signsIn('Vic', { role: 'viewer' }),
    site.signsIn('Lea', { applications: ['another application'] }),
  ]
  site.leaves(gone)
  site.takes(eva)
  for (const to of [gone, viewer, eva]) {
    assert.equal(refusal(await site.shift.offer(eva, to.actor.id)), 'not_on_shift', to.actor.name)
  }
  const token: Asker = { ...eva, actor: { kind: 'token', id: 'token', name: 'Screen' } }
  assert.equal(refusal(await site.shift.offer(token, eva.actor.id)), 'not_on_shift')
  assert.equal(refusal(await site.shift.keepNote(token, 'x')), 'not_on_shift')
  await site.shift.offer(eva, elsewhere.actor.id)
  assert.deepEqual(await site.shift.answer(elsewhere, eva.actor.id, 'accepted'), { taken: 0, left: 1 })
  assert.equal(site.owner(), 'Eva')
})

test('the owner leaves: unanswered at once, and the contacts are alarmed when nobody else is there', async () => {
  const site = duty()
  const [eva, ivo] = [site.signsIn('Eva'), site.signsIn('Ivo')]
  site.signsIn('Lea', { applications: ['another application'] })
  site.takes(eva)
  await site.settles()
  assert.equal(site.owner(), 'Eva')
  site.leaves(eva)
  await site.settles()
  assert.equal(site.owner(), null)
  assert.equal(site.story.incident.state.status, 'acknowledged')
  site.time.seconds = 60
  await site.settles()
  site.story.told.length = 0
  site.story.runTo(60)
  assert.deepEqual(site.story.told, [], 'Ivo is there')
  site.leaves(ivo)
  await site.settles()
  site.story.runTo(61)
  assert.deepEqual(site.story.told, ['60 sms Ana'], 'Lea may not take it')
  assert.deepEqual(site.log(), ['Eva incident.left', 'Eva incident.left'])
})

test('what was accepted is carried out by whoever looks next, also when the giver has left', async () => {
  const site = duty()
  const [eva, ivo] = [site.signsIn('Eva'), site.signsIn('Ivo')]
  site.takes(eva)
  await site.shift.offer(eva, ivo.actor.id)
  // The node that took the answer stopped before it moved the alarm.
  const [offer] = [...site.offers.values()]
  site.offers.set(eva.actor.id, { ...offer!, answer: 'accepted', answeredAt: momentAt(site.time.seconds) })
  site.leaves(eva)
  site.time.seconds += 5
  await site.settles()
  assert.equal(site.owner(), 'Ivo')
  // What the giver takes later is theirs.
  site.story.does(30, { type: 'takeOver', operatorId: eva.actor.id, name: 'Eva', from: ivo.actor.id })
  site.time.seconds = 40
  await site.settles()
  assert.equal(site.owner(), null, 'Eva has left with it')
})

test('an alarm that a token or the command line took is left alone: neither has sessions', async () => {
  const site = duty()
  site.signsIn('Ivo')
  site.story.does(20, { type: 'acknowledge', contactId: null, name: 'Script', operatorId: 'a token' })
  await site.settles()
  assert.equal(site.owner(), 'Script')
})

test('a note stays until somebody who reads it confirms it, and goes after a week', async () => {
  const site = duty()
  const [eva, ivo, lea] = [site.signsIn('Eva'), site.signsIn('Ivo'), site.signsIn('Lea', { applications: [APP] })]
  await site.shift.keepNote(eva, 'The generator is off')
  await site.shift.keepNote(lea, 'Hut 3 is closed')
  const texts = async (who: Asker) => (await site.shift.view(who)).notes.map(({ text }) => text)
  assert.deepEqual(await texts(ivo), ['The generator is off', 'Hut 3 is closed'])
  assert.deepEqual(await texts(lea), ['Hut 3 is closed'], 'the other may be about anything')
  const at = momentAt(20)
  const gone = 'shift_note_not_found'
  assert.equal(refusal(await site.shift.confirmNote(lea, { operatorId: eva.actor.id, at })), gone)
  assert.equal(
    refusal(await site.shift.confirmNote(ivo, { operatorId: eva.actor.id, at: at - 1 })),
    gone,
    'a newer one',
  )
  assert.equal(refusal(await site.shift.confirmNote(ivo, { operatorId: eva.actor.id, at })), null)
  assert.deepEqual(await texts(ivo), ['Hut 3 is closed'])
  site.time.seconds += SHIFT_NOTE_MS / SECOND
  assert.deepEqual(await texts(ivo), [])
  await site.settles()
  assert.equal(site.notes.size, 0)
})
