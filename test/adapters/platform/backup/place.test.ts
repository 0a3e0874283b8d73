import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { nameOf, prune } from '../../../../src/adapters/platform/backup/place.ts'
import { DAY } from '../../../../src/lib/durations.ts'

const SITE = '1a2b3c4d'
const NOW = Date.parse('2026-11-28T03:10:00Z')

/** A directory with backups of these days, counted from today. */
async function holding(t: TestContext, days: readonly number[], site = SITE) {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-place-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  for (const day of days) await writeFile(join(directory, nameOf(site, NOW + day * DAY)), '')
  return directory
}

const names = (days: readonly number[]) => days.map((day) => nameOf(SITE, NOW + day * DAY)).toSorted()

test('the newest stay, and what is not of this site', async (t) => {
  const directory = await holding(t, [0, -1, -2, -3])
  const others = [nameOf('00000000', NOW - 9 * DAY), 'notes.txt', `${nameOf(SITE, NOW - 9 * DAY)}.copy`]
  for (const name of others) await writeFile(join(directory, name), '')
  const removed = prune(directory, { site: SITE, keep: 2, made: nameOf(SITE, NOW) })
  assert.deepEqual([...removed].toSorted(), names([-2, -3]))
  assert.deepEqual((await readdir(directory)).toSorted(), [...names([0, -1]), ...others].toSorted())
})

test('backups of a clock that was years ahead do not push out the true ones', async (t) => {
  const directory = await holding(t, [0, -1, -2, 3650, 3651, 3652])
  const removed = prune(directory, { site: SITE, keep: 4, made: nameOf(SITE, NOW) })
  assert.deepEqual([...removed].toSorted(), names([3650, 3651]))
  assert.deepEqual((await readdir(directory)).toSorted(), names([0, -1, -2, 3652]))
})
