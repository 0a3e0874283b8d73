import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onCallFields } from '../../src/core/account/on-call-schema.ts'
import { COMMAND, entry } from '../../src/core/operator/audit.ts'
import { momentAt } from '../core/build.ts'
import { operatorCalled } from './operator-accounts.ts'
import { incidentOf, type StoreUnderTest, siteIn } from './site.ts'

const LEA = '0199aaaa-0000-7000-8000-000000000002'
const PERSON = '0199aaaa-0000-7000-8000-000000000001'
/** A list with Ivo alone on it. */
export const onCallList = (version: number) =>
  onCallFields.parse({
    version,
    timeZone: 'UTC',
    startsOn: '2025-12-01',
    order: [PERSON],
    people: [{ id: PERSON, name: 'Ivo', phone: '+43660123', language: 'de' }],
  })

export function onCallContract(subject: StoreUnderTest): void {
  test('the on-call list: two first changes at once, one of which is refused; alarms wait while a board is open', async (t) => {
    const { store, user } = await siteIn(subject, t, { contacts: ['Ana'] })
    const set = (version: number) =>
      store.changeOnCall(
        { kind: 'set', given: onCallList(version), now: momentAt(0), defaultTimeZone: 'UTC' },
        entry({ at: momentAt(0), actor: COMMAND, action: 'on_call.change' }),
      )
    assert.equal(await store.onCall(), null)
    const both = await Promise.all([set(0), set(0)])
    assert.deepEqual(both.map((one) => ('refused' in one ? one.refused : one.onCall.version)).toSorted(), [
      1,
      'on_call_changed',
    ])
    const told = { at: momentAt(1), phone: '+43660123', accepted: true }
    await store.noteToldOnCall({ personId: PERSON, ...told })
    await store.noteToldOnCall({ personId: PERSON, ...told, phone: '+43660999' })
    assert.deepEqual((await store.onCall())?.people[0]?.told, told)
    const rows = (await store.auditRows({ after: null, limit: 10 })).items
    assert.equal(rows.filter(({ action }) => action === 'on_call.change').length, 1)
    await user.presses(10)
    const names = async (seconds: number) =>
      incidentOf(await user.does(seconds, { type: 'proceed', inFlight: [] })).contacts.map(({ name }) => name)
    await store.noteBoardWatched(['*', 'another'], momentAt(75))
    assert.deepEqual(await names(85), ['Ana'], 'an operator has the board open')
    await store.noteBoardWatched(['another'], momentAt(150))
    assert.deepEqual(await names(200), ['Ana', 'Ivo'], 'the screen is gone')
  })

  test('the on-call list knows whose account is disabled, and the next in turn is alerted', async (t) => {
    const { store, user } = await siteIn(subject, t, { contacts: ['Ana'] })
    const row = () => entry({ at: momentAt(0), actor: COMMAND, action: 'on_call.change' })
    const ivo = operatorCalled('ivo')
    await store.addOperator(ivo, row())
    const list = onCallList(0)
    const lea = { ...list.people[0]!, id: LEA, name: 'Lea', phone: '+43660124' }
    const people = [{ ...list.people[0]!, operatorId: ivo.id }, lea]
    const turns = { ...list, people, order: [PERSON, LEA], everyDays: 31 }
    await store.changeOnCall({ kind: 'set', given: turns, now: momentAt(0), defaultTimeZone: 'UTC' }, row())
    assert.equal((await store.onCall())?.people[0]?.isDisabled, undefined)
    await store.updateOperator(ivo.id, { disabled: true }, { keepAdmin: false }, row())
    assert.equal((await store.onCall())?.people[0]?.isDisabled, true)
    const confirmed = await store.changeOnCall({ kind: 'review', version: 1, now: momentAt(1) }, row())
    assert.ok('onCall' in confirmed && confirmed.onCall.people[0]?.isDisabled)
    await user.presses(10)
    const { contacts } = incidentOf(await user.does(200, { type: 'proceed', inFlight: [] }))
    assert.deepEqual(
      contacts.map(({ name }) => name),
      ['Ana', 'Lea'],
    )
    await store.updateOperator(ivo.id, { disabled: false }, { keepAdmin: false }, row())
    assert.equal((await store.onCall())?.people[0]?.isDisabled, undefined, 'nothing of it is stored')
  })
}
