import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isCardShown, isComing, isConfirmed } from '../../../src/core/incident/card-access.ts'
import type { Incident } from '../../../src/core/incident/incident.ts'
import { momentAt, pressed, type Story } from '../build.ts'

const calm = { contacts: ['Ana', 'Ben'], settings: { voice: false, rounds: 1, persistHours: 0 } }

const answers = (sos: Story, seconds: number, kind: 'coming' | 'calling' | null): void => {
  const promise = kind === 'coming' ? { kind, etaMinutes: 10 } : kind === null ? undefined : { kind }
  sos.does(seconds, { type: 'acknowledge', contactId: 'contact-Ana', ...(promise && { promise }) })
}
const ana = ({ contacts }: Incident) => contacts.find(({ name }) => name === 'Ana')!
const sees = (sos: Story): boolean => isComing(sos.incident, ana(sos.incident))

// rules.md#card.
suite('who sees the card', () => {
  test('anyone only in a real open alarm which the person or an own source has raised', () => {
    const sos = pressed(calm)
    assert.equal(isCardShown(sos.incident), true)
    assert.equal(isCardShown({ ...sos.incident, drill: { toContacts: true } }), false)
    assert.equal(isCardShown({ ...sos.incident, raisedByOthers: { deviceId: 'TRK-1', at: null } }), false)
    sos.resolves(20)
    assert.equal(isCardShown(sos.incident), false)
  })

  test('a contact who is coming, and no other', () => {
    const rows = [
      [null, false],
      ['calling', false],
      ['coming', true],
    ] as const
    for (const [kind, seen] of rows) {
      const sos = pressed(calm)
      sos.runTo(15)
      assert.equal(sees(sos), false, 'not before the answer')
      answers(sos, 20, kind)
      assert.equal(sees(sos), seen, String(kind))
    }
  })

  test('no longer once they withdraw, leave, stop, do not know the person, may not see the position, or it has ended', () => {
    const sos = pressed(calm)
    sos.runTo(15)
    answers(sos, 20, 'coming')
    const { incident } = sos
    const changed = (more: Partial<ReturnType<typeof ana>>) => isComing(incident, { ...ana(incident), ...more })
    assert.equal(changed({}), true)
    assert.equal(changed({ response: { kind: 'unable', at: momentAt(30), round: 1 } }), false)
    assert.equal(changed({ gone: true }), false)
    assert.equal(changed({ removedAt: momentAt(30) }), false)
    assert.equal(changed({ stopped: { how: 'stop', at: momentAt(30) } }), false)
    assert.equal(changed({ stopped: { how: 'stranger', at: momentAt(30) } }), false)
    assert.equal(changed({ isStranger: true }), false)
    assert.equal(changed({ joined: { by: 'session' } }), false)
    sos.resolves(40)
    assert.equal(sees(sos), false)
  })

  test('only who has confirmed, and at the number that the link was for', () => {
    const entry = { contactId: 'a', phone: '+1' } as ReturnType<typeof ana>
    const known = { id: 'a', phone: '+1', verifiedAt: 5, declinedAt: null, stoppedAt: null }
    assert.equal(isConfirmed(entry, known), true)
    for (const other of [{ verifiedAt: null }, { declinedAt: 6 }, { stoppedAt: 6 }, { phone: '+2' }, { id: 'b' }]) {
      assert.equal(isConfirmed(entry, { ...known, ...other }), false, JSON.stringify(other))
    }
  })
})
