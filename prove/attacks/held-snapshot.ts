import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { whenOver } from './raw-http.ts'
import { saturation } from './saturation.ts'
import { attackPart } from './under-attack.ts'

const CONNECTIONS = 50
const IN_FLIGHT = 20

const flood = saturation({ connections: CONNECTIONS, inFlight: IN_FLIGHT })

/** A reader that keeps its snapshot, so that the write-ahead log cannot be checkpointed. */
export const heldSnapshot = attackPart({
  name: 'held-snapshot',
  what: `another program holds a snapshot of the database open while ${CONNECTIONS} × ${IN_FLIGHT} rows in flight come in`,
  prepare: flood.prepare,
  async run({ ground, site, over }) {
    const file = readdirSync(site.dataDir).find((name) => name.endsWith('.db'))!
    const reader = new Database(join(site.dataDir, file), { readonly: true })
    ground.after(() => reader.close())
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM meta').get()
    const { lines } = site.process
    const before = lines.length
    const load = flood.begin(site)
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
