import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Identity } from '../../bench/load/frames.ts'
import { bringLoad } from '../../bench/load/load.ts'
import { type FillableDisk, mountSmallDisk } from '../../test/harness/tmpfs.ts'
import { whenOver } from '../attacks/raw-http.ts'
import { attackPart } from '../attacks/under-attack.ts'
import { LoopDisk } from '../machine/loop-disk.ts'
import { makeShim, type Shim } from '../machine/shim.ts'
import { identityOf } from '../sos/phone.ts'

const DISK_MB = 192
const FROZEN_MS = 4000
const SYNC_MS = 250
const ROWS_PER_SECOND = 500
const CONNECTIONS = 20

let small: FillableDisk

/** For example another program's log files. Alarms have their own reserve. */
export const fullDisk = attackPart({
  name: 'full-disk',
  what: 'another program fills the disk to the last byte',
  reliefMs: 5000,
  site(ground) {
    small = mountSmallDisk(ground, DISK_MB)!
    return { dataDir: join(small.path, 'data') }
  },
  async run({ site, over }) {
    await small.fill()
    await whenOver(over)
    const { status } = await fetch(`${site.http}/readyz`)
    return `/readyz ${status}`
  },
})

let shim: Shim
let identities: readonly Identity[]

/** An old SD card, or a disk that other programs keep busy. */
export const slowFsync = attackPart({
  name: 'slow-fsync',
  what: `every fsync takes ${SYNC_MS} ms, ${ROWS_PER_SECOND} rows a second come in`,
  site(ground) {
    shim = makeShim(ground)
    return { env: shim.environment }
  },
  async prepare({ site }) {
    const users = await Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => site.user(`tracker-${n}`)))
    identities = users.map((user) => identityOf(user))
  },
  async run({ site, over }) {
    shim.makes({ syncDelayMs: SYNC_MS })
    const port = Number(new URL(site.mqtt).port)
    const load = bringLoad({ kind: 'pace', port, identities, perSecond: ROWS_PER_SECOND, burst: 5 })
    await load.measuring
    await whenOver(over)
    load.stop()
    const { acknowledged } = await load.result
    shim.makes({})
    return `${acknowledged.toLocaleString('en')} rows acknowledged meanwhile`
  },
})

let disk: LoopDisk

/** What a volume snapshot does. */
export const frozenDisk = attackPart({
  name: 'frozen-disk',
  what: `the file system is frozen for ${FROZEN_MS / 1000} s (fsfreeze), then thawed`,
  async site(ground) {
    disk = await LoopDisk.make(ground, DISK_MB)
    return { dataDir: join(disk.path, 'data') }
  },
  async run({ over }) {
    await disk.freeze()
    await Promise.race([sleep(FROZEN_MS), whenOver(over)])
    await disk.thaw()
    return 'late are those who pressed while nothing could be stored'
  },
})
