import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Identity } from '../../bench/load/frames.ts'
import { bringLoad } from '../../bench/load/load.ts'
import { identityOf } from '../sos/phone.ts'
import { whenOver } from './raw-http.ts'
import { attackPart } from './under-attack.ts'

const CONNECTIONS = 50
const IN_FLIGHT = 20

let identities: readonly Identity[]

/** A reader that keeps its snapshot, so that the write-ahead log cannot be checkpointed. */
export const heldSnapshot = attackPart({
  name: 'held-snapshot',
  what: `another program holds a snapshot of the database open while ${CONNECTIONS} × ${IN_FLIGHT} rows in flight come in`,
  async prepare({ site }) {
    const users = await Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => site.user(`a-${n}`)))
    identities = users.map((user) => identityOf(user))
  },
  async run({ ground, site, over }) {
    const file = readdirSync(site.dataDir).find((name) => name.endsWith('.db'))!
    const reader = new Database(join(site.dataDir, file), { readonly: true })
    ground.after(() => reader.close())
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM meta').get()
    const { lines } = site.process
    const before = lines.length
    const port = Number(new URL(site.mqtt).port)
    const load = bringLoad({
      kind: 'saturate',
      port,
      identities,
      inFlight: IN_FLIGHT,
      warmUpMs: 0,
      measureMs: 3_600_000,
    })
    await whenOver(over)
    const logMb = statSync(join(site.dataDir, `${file}-wal`)).size / 1e6
    const ready = await fetch(`${site.http}/readyz`).then(
      async (answer) => `${answer.status} ${(await answer.text()).slice(0, 200)}`,
      () => 'unreachable',
    )
    const metrics = await fetch(`${site.http}/metrics`).then((answer) => answer.text())
    await load.cancel()
    reader.close()
    const said = lines.slice(before).filter(({ msg }) => /checkpoint|log/i.test(String(msg))).length
    const counted = /^tocsin_[a-z_]*checkpoint[a-z_]*.* (?!0$)\d/m.test(metrics)
    return `the log grew to ${Math.round(logMb)} MB; ${said} lines in the log about it, ${counted ? 'a' : 'no'} metric; /readyz: ${ready}`
  },
})
