import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { StoreError } from '../../../../src/ports/store.ts'
import { applicationCalled, Site } from '../../../contract/site.ts'
import { momentAt } from '../../../core/build.ts'
import { smallDisk } from '../../../fixtures/small-disk.ts'
import { openAt } from '../../../fixtures/store-place.ts'
import { until } from '../../../harness/wait.ts'

const KIB = 1024
const MIB = 1024 * KIB

async function siteOn(t: Parameters<typeof openAt>[0], path: string, diskReserveBytes = 0): Promise<Site> {
  // Below the mount point, so that nothing is written to the underlying directory once the disk is unmounted.
  const open = () => openAt(t, join(path, 'data'), { diskReserveBytes })
  const store = await open()
  const application = applicationCalled('Hut')
  await store.createApplication(application, 'secret')
  const site = new Site({ open }, store, application)
  await site.user.settle(['Ana'])
  return site
}

const letter = (n: number) => ({
  userId: `user-${n}`,
  topic: 't',
  reason: 'r',
  payload: new Uint8Array(50 * KIB).fill(n),
  receivedAt: momentAt(n),
})

test('a full disk accepts nothing, keeps what it has, still reads, and accepts again when there is space', async (t) => {
  const disk = smallDisk(t, 6)
  if (disk === null) return
  const ballast = join(disk.path, 'ballast')
  writeFileSync(ballast, new Uint8Array(3 * MIB))
  const { store, user } = await siteOn(t, disk.path)
  const kept: string[] = []
  let refusal: unknown
  for (let n = 1; refusal === undefined && n < 1000; n += 1) {
    await store.addDeadLetter(letter(n)).then(
      () => kept.push(`user-${n}`),
      (error) => {
        refusal = error
      },
    )
  }
  assert.ok(refusal instanceof StoreError)
  assert.equal(refusal.kind, 'disk_full')
  assert.ok(kept.length > 5)

  const inOneCommit = await Promise.allSettled([store.addDeadLetter(letter(1001)), store.addDeadLetter(letter(1002))])
  for (const settled of inOneCommit) assert.equal(settled.status === 'rejected' && settled.reason.kind, 'disk_full')
  const names = async () => (await store.deadLetters()).map(({ userId }) => userId)
  assert.deepEqual(await names(), kept)

  rmSync(ballast)
  assert.equal((await user.presses(0)).verdict, 'opened')
  await store.addDeadLetter(letter(2000))
  await store.checkWritable()
  assert.deepEqual(await names(), [...kept, 'user-2000'])
})

test('below the reserve telemetry is refused while alerts are stored, until there is space again', async (t) => {
  const disk = smallDisk(t, 12)
  if (disk === null) return
  const reserve = 6 * MIB
  const { store, user } = await siteOn(t, disk.path, reserve)
  await user.sends(0)
  await store.checkWritable()

  const ballast = join(disk.path, 'ballast')
  writeFileSync(ballast, new Uint8Array(disk.free() - reserve + MIB))
  let seconds = 1
  const refusal = await until('telemetry refused', async () => {
    seconds += 1
    return user.sends(seconds).then(
      () => null,
      (error: StoreError) => error,
    )
  })
  assert.equal(refusal.kind, 'disk_reserve')
  const [press, row] = await Promise.allSettled([user.presses(100), user.sends(100)])
  assert.equal(press.status, 'fulfilled')
  assert.equal(row.status === 'rejected' && row.reason.kind, 'disk_reserve')
  // Deleting frees space inside the file, so it does not wait for free disk space.
  const expired = { before: momentAt(1e6), max: 1, from: '' }
  assert.equal((await store.deleteExpired('deadLetters', expired)).deleted, 0)
  await user.adds('Ben')
  await assert.rejects(store.checkWritable(), { name: 'StoreError', kind: 'disk_reserve' })

  rmSync(ballast)
  await until('telemetry taken again', () =>
    user.sends(200).then(
      () => true,
      () => false,
    ),
  )
  await store.checkWritable()
})
