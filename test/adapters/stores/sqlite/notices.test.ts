import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { newApplication } from '../../../../src/core/account/new-application.ts'
import type { Notice } from '../../../../src/ports/store.ts'
import { freshDir, openAt, openHere } from '../../../fixtures/store-place.ts'
import { until } from '../../../harness/wait.ts'

const MINUTE_MS = 60_000

test('notices that were read are deleted after a minute, younger ones are kept', async (t) => {
  const dataDir = await freshDir(t)
  const service = await openAt(t, dataDir)
  const heard: Notice[] = []
  await service.onNotice((notice) => heard.push(notice))
  const db = new Database(join(dataDir, 'tocsin.db'))
  t.after(() => db.close())
  const leave = db.prepare('INSERT INTO notices (left_at, notice) VALUES (?, ?)')
  const notice = (appId: string): string => JSON.stringify({ kind: 'admission', appId })
  leave.run(Date.now() - MINUTE_MS - 1000, notice('old'))
  leave.run(Date.now(), notice('young'))
  const ids = db.prepare('SELECT id FROM notices ORDER BY id').pluck()
  await until('the old one gone', () => ids.all().length === 1)
  assert.deepEqual(ids.all(), [2])
  assert.deepEqual(heard, [
    { kind: 'admission', appId: 'old' },
    { kind: 'admission', appId: 'young' },
  ])
})

test('a listener that throws misses no later notice', async (t) => {
  const dataDir = await freshDir(t)
  const errors: string[] = []
  const log = { info() {}, warn() {}, error: (_: object, message: string) => void errors.push(message) }
  const service = await openAt(t, dataDir, { log })
  const heard: Notice[] = []
  await service.onNotice((notice) => {
    heard.push(notice)
    if (heard.length === 1) throw new Error('not today')
  })
  const commandLine = await openHere(t, dataDir, { leaveNotices: true })
  const application = newApplication({ id: 'a', name: 'A', language: 'en', createdAt: 1 })
  await commandLine.createApplication(application, 'secret')
  await Promise.all(['B', 'C'].map((name) => commandLine.updateApplication('a', { name })))
  await until('both', () => heard.length === 2)
  assert.equal(errors.length, 1)
})
