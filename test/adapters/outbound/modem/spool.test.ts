import assert from 'node:assert/strict'
import { mkdir, readdir, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { spoolAt, spoolFault } from '../../../../src/adapters/outbound/modem/spool.ts'
import { newSpool } from '../../../harness/spool.ts'

const TEXT = { precedence: 'A', claimedAt: 0, to: '+436600000001', attemptId: 'a-1', code: null } as const

test('a folder of the spool that was made a link is missing, and nothing is written or removed through it', async (t) => {
  const { path } = await newSpool(t)
  const spool = spoolAt(path)
  const file = await spool.put(TEXT, 'help')
  assert.ok(file !== null)
  assert.deepEqual(await spool.of('a-1'), [file], 'the control')

  await mkdir(join(path, 'elsewhere'))
  await rename(join(path, 'outbox'), join(path, 'elsewhere', 'files'))
  await symlink(join(path, 'elsewhere', 'files'), join(path, 'outbox'))
  const tries = [
    () => spool.put({ ...TEXT, attemptId: 'a-2' }, 'help'),
    () => spool.remove(file),
    () => spool.withdraw(file.name),
    () => spool.removeHidden(Number.MAX_SAFE_INTEGER),
    () => spool.prove(),
  ]
  for (const tried of tries) await assert.rejects(tried, (error) => spoolFault(error) === 'spool missing')
  assert.deepEqual(await readdir(join(path, 'elsewhere', 'files')), [file.name])
})
