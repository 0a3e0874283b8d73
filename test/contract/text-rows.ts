import assert from 'node:assert/strict'
import { compactTelemetry } from '../../src/app/upkeep/compact-telemetry.ts'
import type { Store } from '../../src/ports/store.ts'
import { momentAt } from '../core/build.ts'
import { applicationCalled, SiteUser } from './site.ts'

type Given = {
  readonly store: Store
  /** Runs one statement on the database, past the store. */
  readonly run: (sql: string) => Promise<unknown>
  /** Charges every user with so many bytes of telemetry. */
  readonly charge: (bytes: number) => Promise<unknown>
  /** What all users are charged with. */
  readonly charged: () => Promise<number>
}

const TEXT = '{"mobileBattery":91,"latitude":47.1,"longitude":12.5}'
const ROUNDED = '{"mobileBattery":91,"unknownToday":true}'
const setTo = (table: string, payload: string, where: string): string =>
  `UPDATE ${table} SET payload = '${payload}', compact = NULL WHERE ${where}`

/** Rows of earlier versions become compact, say the same as before, and give back their bytes. For either store. */
export async function compactsTextRows({ store, run, charge, charged }: Given): Promise<void> {
  const application = applicationCalled('Hut')
  await store.createApplication(application, 'secret')
  const [ana, ben] = [new SiteUser(store, application.id, 'ana'), new SiteUser(store, application.id, 'ben')]
  for (const user of [ana, ben]) {
    await user.settle([])
    for (const n of [1, 2, 3]) await user.sends(n, { mobileBattery: n })
  }
  // Its event time is the arrival: the text of the time is a column then.
  await run(setTo('telemetry', TEXT, 'true'))
  await run("UPDATE telemetry SET at = '2026-01-01T00:00:00Z'")
  // No form has a place for such a field.
  const last = '(SELECT max(ms) FROM telemetry)'
  await run(setTo('telemetry', ROUNDED, `ms = ${last}`))
  // As if sent by another user.
  await run('INSERT INTO relayed_telemetry SELECT * FROM telemetry')

  const query = { after: null, limit: 100, from: null, to: null }
  const histories = async () => [
    await store.telemetryHistory(ana.id, query),
    await store.telemetryHistory(ben.id, query),
  ]
  const before = await histories()
  await charge(10_000)
  const slices: number[] = []
  const small = {
    // Slices end within a user, between users, and between the tables.
    textRows: ({ from }: { readonly from: string }) => store.textRows({ from, max: 2 }),
    compactRows: store.compactRows,
  }
  const done = await compactTelemetry({
    store: small,
    wait: async () => {},
    onProgress: ({ looked }) => void slices.push(looked),
  })
  const { bytes, ...counts } = done
  assert.deepEqual(counts, { looked: 12, rows: 8, kept: 4 })
  assert.deepEqual(await histories(), before)
  assert.ok(bytes > 8 * 20, `${bytes} bytes less`)
  assert.equal(await charged(), 20_000 - bytes)
  assert.ok(slices.length >= 6)

  const { rows } = await compactTelemetry({ store, wait: async () => {}, onProgress: () => {} })
  assert.equal(rows, 0, 'a second run finds nothing to do')
}

/** What each row holds instead of its payload: its text, or its bytes in hexadecimal digits. */
const unreadable = [
  { text: '{"latitude":47.25' },
  { hex: '02000200' },
  { hex: '010002' },
  { hex: '0100020500' },
  { hex: '01000265' },
]

type Damaged = Pick<Given, 'store' | 'run'> & {
  /** Bytes as the database writes them in SQL. */
  readonly bytes: (hex: string) => string
  /** The lines of the store's log. */
  readonly lines: readonly string[]
}

/** Rows that are damaged, or of a newer version, hide none of the user's others, and are reported. For either store. */
export async function leavesOutUnreadableRows({ store, run, bytes, lines }: Damaged): Promise<void> {
  const application = applicationCalled('Barn')
  await store.createApplication(application, 'secret')
  const user = new SiteUser(store, application.id, 'ana')
  await user.settle([])
  for (const n of [100, 101, 102, 103, 104, 105, 106]) await user.sends(n, { mobileBattery: 50 })
  for (const [n, { text = '', hex }] of unreadable.entries()) {
    const compact = hex === undefined ? 'NULL' : bytes(hex)
    await run(`UPDATE telemetry SET payload = '${text}', compact = ${compact} WHERE ms = ${momentAt(101 + n)}`)
  }
  const times: number[] = []
  for (let after: string | null = null, pages = 0; pages < 10; pages += 1) {
    const page = await store.telemetryHistory(user.id, { after, limit: 2, from: null, to: null })
    assert.ok('items' in page)
    times.push(...page.items.map(({ at }) => at.ms))
    if (page.after === null) break
    after = page.after
  }
  assert.deepEqual(times, [momentAt(106), momentAt(100)])
  assert.equal(lines.length, unreadable.length)
  assert.ok(lines.every((line) => line.includes('cannot be read') && line.includes(user.id) && !line.includes('47.25')))
}
