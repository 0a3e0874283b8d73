import assert from 'node:assert/strict'
import { existsSync, lstatSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { DiskReserve, type ReserveNews } from '../../../../src/adapters/stores/sqlite/files/disk-reserve.ts'
import { COMMAND, entry } from '../../../../src/core/operator/audit.ts'
import type { Meter } from '../../../../src/ports/meter.ts'
import { onCallList } from '../../../contract/on-call.ts'
import { applicationCalled, incidentOf, Site } from '../../../contract/site.ts'
import { momentAt } from '../../../core/build.ts'
import { smallDisk } from '../../../fixtures/small-disk.ts'
import { freshDir, openAt, uncounted } from '../../../fixtures/store-place.ts'
import { mountSmallDisk } from '../../../harness/tmpfs.ts'
import { until } from '../../../harness/wait.ts'

const MIB = 1024 * 1024

async function reserveIn(t: TestContext, directory: string, bytes: number | null) {
  const news: ReserveNews[] = []
  const reserve = await DiskReserve.open({ directory, bytes, report: (one) => void news.push(one) })
  t.after(() => reserve.close())
  const file = join(directory, 'tocsin.reserve')
  // On a busy disk the rest of it is filled in the background.
  if (bytes !== null && !news.includes('lacks_room')) {
    await until('it is whole', () => (bytes === 0 ? !existsSync(file) : statSync(file).size === bytes))
  }
  return { reserve, news, file }
}

test('the reserve is a private file of allocated, incompressible bytes that stays for the next start', async (t) => {
  const directory = await freshDir(t)
  const { file, news } = await reserveIn(t, directory, 2 * MIB)
  const { size, blocks, mode, ino } = statSync(file)
  assert.deepEqual([size, mode & 0o777], [2 * MIB, 0o600])
  assert.ok(blocks * 512 >= size, `${blocks} blocks`)
  const part = readFileSync(file).subarray(0, 128 * 1024)
  assert.ok(deflateSync(part).length > 0.99 * part.length)
  await reserveIn(t, directory, 2 * MIB)
  assert.equal(statSync(file).ino, ino)
  assert.deepEqual(news, [])
})

test('a sparse copy, a file of another size, and a link in its place are replaced by a full one', async (t) => {
  const directory = await freshDir(t)
  const file = join(directory, 'tocsin.reserve')
  const victim = join(directory, 'victim')
  writeFileSync(victim, 'precious')
  symlinkSync(victim, file)
  const { reserve } = await reserveIn(t, directory, null)
  reserve.giveUp()
  assert.equal(readFileSync(victim, 'utf8'), 'precious')
  reserve.close()
  // One service after the other: each looks every second whether the file is as it should be.
  const small = await reserveIn(t, directory, MIB)
  assert.ok(lstatSync(file).isFile())
  assert.equal(readFileSync(victim, 'utf8'), 'precious')
  small.reserve.close()
  const large = await reserveIn(t, directory, 2 * MIB)
  assert.equal(statSync(file).size, 2 * MIB)
  large.reserve.close()
  await reserveIn(t, directory, 0)
  assert.equal(existsSync(file), false)
})

test('a disk that is too small for it keeps what it can, and reports it', async (t) => {
  const disk = smallDisk(t, 6)
  if (disk === null) return
  const { reserve, news, file } = await reserveIn(t, disk.path, 5 * MIB)
  assert.deepEqual(news, ['lacks_room'])
  assert.equal(reserve.room(), 'scarce')
  await until('it is as large as it can be', () => statSync(file).size > 3 * MIB)
  assert.ok(disk.free() > MIB)
})

/** Below the mount point, so that nothing is written to the underlying directory once the disk is unmounted. */
const dataOn = (path: string): string => join(path, 'data')

async function siteOn(t: TestContext, path: string, diskReserveBytes: number, meter: Meter = uncounted): Promise<Site> {
  const open = () => openAt(t, dataOn(path), { diskReserveBytes, meter })
  const store = await open()
  const application = applicationCalled('Hut')
  await store.createApplication(application, 'secret')
  const site = new Site({ open }, store, application)
  await site.user.settle(['Ana'])
  return site
}

test('on a disk that another program has filled, 30 of 30 users raise an alarm, and telemetry waits until there is room', async (t) => {
  const disk = mountSmallDisk(t, 24)
  if (disk === null) return
  const refused: unknown[] = []
  const count: Meter['count'] = (name, labels) => {
    if (name === 'store_failures_total') refused.push(...Object.values(labels ?? {}))
  }
  const site = await siteOn(t, disk.path, 8 * MIB, { ...uncounted, count })
  const users = [site.user]
  for (let n = 2; n <= 29; n += 1) users.push(await site.newUser(`hiker-${n}`))
  await disk.fill()
  // A user who is not known yet.
  users.unshift(await site.newUser('hiker-30'))

  // Who is on call may change as well: an alarm may depend on it.
  const list = { given: onCallList(0), now: momentAt(0), defaultTimeZone: 'UTC' }
  const row = entry({ at: momentAt(0), actor: COMMAND, action: 'on_call.change' })
  assert.ok('onCall' in (await site.store.changeOnCall({ kind: 'set', ...list }, row)))
  const verdicts = []
  for (const user of users) verdicts.push((await user.presses(0)).verdict)
  assert.deepEqual(new Set(verdicts), new Set(['opened']))
  const later = incidentOf(await site.user.does(200, { type: 'proceed', inFlight: [] }))
  assert.equal(later.contacts.at(-1)?.name, 'Ivo', 'nobody has taken it')
  assert.equal(existsSync(join(dataOn(disk.path), 'tocsin.reserve')), false)
  await assert.rejects(site.user.sends(1), { kind: 'disk_reserve' })
  await assert.rejects(site.store.checkWritable(), { kind: 'disk_reserve' })
  // Only alarms use it: neither profiles nor contacts do.
  await assert.rejects(site.store.updateProfile(site.user.id, { name: 'Mia' }, momentAt(1)), { kind: 'disk_reserve' })
  assert.deepEqual(refused, ['disk_reserve', 'disk_reserve', 'disk_reserve'])

  await disk.empty()
  await until('the reserve is there again', () => {
    const file = statSync(join(dataOn(disk.path), 'tocsin.reserve'), { throwIfNoEntry: false })
    return file?.size === 8 * MIB
  })
  await until('telemetry is taken again', () =>
    site.user.sends(2).then(
      () => true,
      () => false,
    ),
  )
  await site.store.checkWritable()
})

test('the control: without a reserve, the same disk accepts no alarm', async (t) => {
  const disk = mountSmallDisk(t, 24)
  if (disk === null) return
  const { user } = await siteOn(t, disk.path, 0)
  await disk.fill()
  await assert.rejects(user.presses(0), { kind: 'disk_full' })
})

test('many commits of alarms fit into a small reserve, because the log is restarted instead of growing', async (t) => {
  const disk = mountSmallDisk(t, 16)
  if (disk === null) return
  const { user } = await siteOn(t, disk.path, 4 * MIB)
  await disk.fill()
  let written = 0
  // Two at a time, because one by one they would take a minute on a busy disk.
  for (let n = 0; n < 500; n += 2) {
    const position = { latitude: 47, longitude: 11 }
    await Promise.all([user.presses(n, position), user.presses(n + 1, position)])
    written += 2
  }
  assert.equal(written, 500)
})

test('a command beside the service can release the reserve, which the service restores when there is room', async (t) => {
  const disk = mountSmallDisk(t, 24)
  if (disk === null) return
  const { user } = await siteOn(t, disk.path, 8 * MIB)
  await user.presses(0)
  const beside = await openAt(t, dataOn(disk.path), { leaveNotices: true })
  await disk.fill()
  const resolved = await beside.changeIncident({ openOf: user.id }, { type: 'resolve', now: momentAt(60) })
  assert.equal(resolved.incident?.state.status, 'resolved')
  await disk.empty()
  await until('it is there again', () => existsSync(join(dataOn(disk.path), 'tocsin.reserve')))
  rmSync(join(dataOn(disk.path), 'tocsin.reserve'))
  await until('it is there again', () => existsSync(join(dataOn(disk.path), 'tocsin.reserve')))
})
