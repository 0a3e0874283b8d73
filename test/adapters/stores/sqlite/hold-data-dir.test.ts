import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { holdDataDir } from '../../../../src/adapters/stores/sqlite/files/hold-data-dir.ts'
import { freshDir, openAt } from '../../../fixtures/store-place.ts'
import { startProcess } from '../../../fixtures/store-process.ts'

test('a data directory is held by one process, which the next one can name', async (t) => {
  const dataDir = await freshDir(t)
  const holder = startProcess(t, [dataDir, 'hold'])
  await holder.says(/held/)
  await assert.rejects(
    holdDataDir(dataDir),
    new RegExp(`another process \\(\\d+\\) is already running Tocsin on ${dataDir}`),
  )
  assert.equal(await holder.ends(), 0)
  const release = await holdDataDir(dataDir)
  release()
})

test('a holder that was killed holds nothing', async (t) => {
  const dataDir = await freshDir(t)
  const holder = startProcess(t, [dataDir, 'hold'])
  await holder.says(/held/)
  holder.kill()
  await holder.ended()
  const release = await holdDataDir(dataDir)
  release()
})

test('of many that try at the same time, exactly one gets it', async (t) => {
  const dataDir = await freshDir(t)
  const processes = Array.from({ length: 4 }, () => startProcess(t, [dataDir, 'hold']))
  const taken = await Promise.allSettled(processes.map((one) => one.says(/held/)))
  assert.equal(taken.filter(({ status }) => status === 'fulfilled').length, 1)
})

test('the lock also holds against this process, is released once, and does not hinder the store', async (t) => {
  const dataDir = await freshDir(t)
  const release = await holdDataDir(dataDir)
  await assert.rejects(holdDataDir(dataDir), new RegExp(`another process \\(${process.pid}\\)`))
  await (await openAt(t, dataDir)).checkWritable()
  const other = startProcess(t, [dataDir, 'open'])
  await other.says(/opened/)
  release()
  ;(await holdDataDir(dataDir))()
  ;(await holdDataDir(join(dataDir, 'elsewhere')))()
})
