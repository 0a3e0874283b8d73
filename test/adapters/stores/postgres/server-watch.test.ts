import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { concernsAbout } from '../../../../src/adapters/stores/postgres/upkeep/server-watch.ts'
import { freshDatabase, openPostgresAt, withoutPostgres } from '../../../fixtures/postgres-place.ts'
import { until } from '../../../harness/wait.ts'

const safe = { fsync: true, fullPages: true, waitsForStandby: true, standbys: 1, synchronousStandbys: 1 }
const UNPROTECTED = /^no synchronous standby protects acknowledged alerts/

for (const [what, facts, expectsStandby, expected] of [
  ['a synchronous standby protects', safe, true, []],
  ['a single server on purpose', { ...safe, waitsForStandby: false, standbys: 0, synchronousStandbys: 0 }, false, []],
  ['a standby that nobody waits for', { ...safe, waitsForStandby: false, synchronousStandbys: 0 }, true, [UNPROTECTED]],
  ['a standby that is missing', { ...safe, standbys: 0, synchronousStandbys: 0 }, false, [UNPROTECTED]],
  ['fsync off', { ...safe, fsync: false }, true, [/^fsync is off on the database server: a power cut loses/]],
  ['full_page_writes off', { ...safe, fullPages: false }, true, [/^full_page_writes is off .* may damage/]],
] as const) {
  test(`what the operator is told: ${what}`, () => {
    const concerns = concernsAbout(facts, expectsStandby)
    assert.equal(concerns.length, expected.length)
    for (const [place, pattern] of expected.entries()) assert.match(concerns[place]!, pattern)
  })
}

suite('a look at the server', { skip: withoutPostgres }, () => {
  test('says that the standby is missing where several hosts are listed, and nothing where one is', async (t) => {
    const url = await freshDatabase(t)
    const [, directory = '', database = ''] = /@(.*)\/(.*)$/.exec(url) ?? []
    const warnings: string[] = []
    const log = { info() {}, error() {}, warn: (_fields: object, message: string) => void warnings.push(message) }
    const one = await openPostgresAt(t, url, { node: 'one', log })
    await until('the server is seen', () => one.server?.synchronousStandbys() === 0)
    assert.deepEqual([one.server?.concerns(), warnings], [[], []])
    const several = await openPostgresAt(t, `postgresql://tocsin@${directory},${directory}/${database}`, {
      node: 'two',
      log,
    })
    await until('a concern', () => several.server?.concerns().length === 1)
    assert.match(warnings.join('\n'), UNPROTECTED)
    const command = await openPostgresAt(t, url, { leaveNotices: true })
    assert.equal(command.server, undefined)
  })
})
