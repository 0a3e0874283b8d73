import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { operatorOnCall } from '../../../src/app/operator/on-call.ts'
import { decideOnCallChange, withTold } from '../../../src/core/account/decide-on-call.ts'
import type { OnCall } from '../../../src/core/account/on-call.ts'
import { onCallFields } from '../../../src/core/account/on-call-schema.ts'
import type { AttemptOutcome } from '../../../src/core/incident/command.ts'
import type { AuditEntry } from '../../../src/core/operator/audit.ts'
import type { Grant } from '../../../src/core/operator/role.ts'
import type { TextNotification } from '../../../src/ports/notifier.ts'
import { until } from '../../harness/wait.ts'

const NOW = Date.parse('2026-11-29T20:00Z')
const [ivo, lea] = [randomUUID(), randomUUID()]

/** A list in memory. `texts`: what was sent. */
function site(outcome: AttemptOutcome = { kind: 'sent', provider: 'x', providerRef: null }) {
  let onCall: OnCall | null = null
  const rows: AuditEntry[] = []
  const texts: TextNotification[] = []
  const made = operatorOnCall({
    store: {
      onCall: async () => onCall,
      async changeOnCall(change, audit) {
        const decided = decideOnCallChange(onCall, change)
        if ('refused' in decided) return decided
        onCall = decided.update
        rows.push(audit)
        return { onCall }
      },
      async noteBoardWatched() {},
      async noteToldOnCall(told) {
        onCall = withTold(onCall, told) ?? onCall
      },
    },
    clock: { now: () => NOW },
    ids: { uuid: randomUUID },
    log: { info() {}, warn() {}, error() {} },
    machineTimeZone: () => 'UTC',
    siteName: () => 'sos.example.org',
    async sendText(text) {
      texts.push(text)
      return outcome
    },
  })
  return { made, rows, texts, list: () => onCall }
}

const asker = (id: string, grant: Partial<Grant> = {}) => ({
  actor: { kind: 'operator' as const, id, name: id },
  address: null,
  now: NOW,
  grant: { role: 'admin' as const, applications: null, ...grant },
})
const admin = asker('admin')
const operator = (id: string) => asker(id, { role: 'operator' })

const given = (version: number, people = ['ivo', 'lea']) =>
  onCallFields.parse({
    version,
    startsOn: '2026-11-23',
    order: people.includes('ivo') ? [ivo] : [],
    people: people.map((name, place) => ({
      ...{ id: name === 'ivo' ? ivo : lea, name, phone: `+43660123${place}`, language: 'de', operatorId: null },
    })),
  })
const linked = (version: number) => {
  const fields = given(version)
  return { ...fields, people: fields.people.map((one) => (one.id === lea ? { ...one, operatorId: lea } : one)) }
}

suite('the on-call list for operators', () => {
  test('new numbers are told once, in their language; who was told shows', async () => {
    const { made, texts, list } = site()
    await made.set(admin, given(0))
    await until('both are told', () => list()?.people.every(({ told }) => told?.accepted === true) === true)
    assert.deepEqual(
      texts.map(({ to, purpose, language }) => [to, purpose, language]),
      [
        ['+436601230', 'verification', 'de'],
        ['+436601231', 'verification', 'de'],
      ],
    )
    assert.match((texts[0] as { text: string }).text, /sos\.example\.org.*Bereitschaftsplan/)
    const shown = await made.set(admin, given(1))
    assert.ok('list' in shown)
    assert.deepEqual([texts.length, shown.findings], [2, []])
  })

  test('a number that no provider takes is a finding, and the next save tells it again', async () => {
    const { made, texts, list } = site({ kind: 'failed', error: 'invalid number', retryable: false })
    await made.set(admin, given(0))
    await until('it was tried', () => list()?.people.every(({ told }) => told !== null) === true)
    const { findings } = await made.view(admin)
    assert.deepEqual(findings, [{ code: 'on_call_unreachable', from: null, until: null, names: ['ivo'] }])
    await made.set(admin, given(1))
    await until('it is tried again', () => texts.length === 4)
  })

  test('an operator on the list takes tonight and gives it back; numbers are shown to few', async () => {
    const { made, rows } = site()
    await made.set(admin, linked(0))
    const taken = await made.take(operator(lea), {})
    assert.ok('now' in taken)
    assert.deepEqual(taken.now, { personId: lea, name: 'lea', until: '2026-11-30T08:00:00.000Z' })
    assert.deepEqual(
      taken.list?.people.map(({ phone }) => phone),
      [null, '+436601231'],
    )
    assert.deepEqual(await made.take(operator(ivo), {}), { refused: 'on_call_person_not_found' }, 'not linked')
    const [override] = taken.list!.overrides
    assert.deepEqual(await made.giveBack(operator(ivo), override!.id), { refused: 'override_not_found' })
    const back = await made.giveBack(operator(lea), override!.id)
    assert.ok('now' in back)
    assert.equal(back.now.name, 'ivo')
    assert.deepEqual(
      rows.map(({ action, subject }) => [action, subject]),
      [
        ['on_call.change', null],
        ['on_call.take', override!.id],
        ['on_call.take', override!.id],
      ],
    )
    assert.ok(!JSON.stringify(rows).includes('+43'), 'the log holds no number')
  })

  test('an administrator puts somebody on duty and takes it back; a gap is a finding; a look renews the list', async () => {
    const { made, list } = site()
    assert.deepEqual(await made.override(admin, { personId: lea }), { refused: 'on_call_person_not_found' })
    await made.set(admin, given(0, ['lea']))
    const put = await made.override(admin, { personId: lea, until: NOW + 3600_000 })
    assert.ok('now' in put)
    assert.equal(put.now.name, 'lea')
    assert.deepEqual(put.findings[0], {
      ...{ code: 'on_call_gap', from: '2026-11-29T21:00:00.000Z', until: '2026-12-13T20:00:00.000Z', names: [] },
    })
    assert.deepEqual(await made.confirm(admin, 0), { refused: 'on_call_changed' })
    const year = { ...admin, now: NOW + 400 * 24 * 3600_000 }
    const { findings } = await made.view(year)
    assert.deepEqual(
      findings.map(({ code }) => code),
      ['on_call_gap', 'on_call_stale'],
    )
    assert.ok('list' in (await made.confirm(year, 1)))
    assert.equal(list()?.reviewedAt, year.now)
    const removed = await made.remove(admin, put.list!.overrides[0]!.id)
    assert.ok('list' in removed)
    assert.equal(removed.now.name, null)
  })
})
