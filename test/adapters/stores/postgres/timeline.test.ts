import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { suite, test } from 'node:test'
import type pg from 'pg'
import { Primary } from '../../../../src/adapters/stores/postgres/engine/connect.ts'
import { targetOf } from '../../../../src/adapters/stores/postgres/engine/target.ts'
import { serverTimeline } from '../../../../src/adapters/stores/postgres/engine/timeline.ts'
import { freshDatabase, withoutPostgres } from '../../../fixtures/postgres-place.ts'
import type { Ending } from '../../../harness/ending.ts'
import { endsLastFirst } from '../../../harness/last-first.ts'
import { sharedPostgres } from '../../../harness/postgres.ts'
import { until } from '../../../harness/wait.ts'

/** A server listed as two hosts, and a session of the test's own on it. */
async function twoHosts(t: Ending) {
  const url = await freshDatabase(t)
  const [, directory = '', database = ''] = /@(.*)\/(.*)$/.exec(url) ?? []
  const session = await (await sharedPostgres()).session(database)
  endsLastFirst(t, () => session.end())
  await session.query(`ALTER DATABASE ${database} SET search_path = public, pg_catalog`)
  const target = targetOf(`postgresql://tocsin@${directory},${directory}/${database}`)
  return { target, primary: new Primary(target), session }
}

/** What the server says its timeline is: the server's own function comes last in the path. */
const timelineIs = (session: pg.Client, expression: string): Promise<unknown> =>
  session.query(`CREATE OR REPLACE FUNCTION public.pg_walfile_name(pg_lsn) RETURNS text VOLATILE LANGUAGE sql AS
    $$ SELECT lpad(to_hex((${expression})::integer), 8, '0') || repeat('0', 16) $$`)

suite('the timeline of the primary', { skip: withoutPostgres }, () => {
  test('is the server’s own', async (t) => {
    const { primary, session } = await twoHosts(t)
    const connection = await primary.connect()
    endsLastFirst(t, () => connection.close())
    const { rows } = await session.query<{ id: number }>('SELECT timeline_id AS id FROM pg_control_checkpoint()')
    assert.equal(await serverTimeline(connection), rows[0]?.id)
  })

  test('at first the newest of several primaries is used, and an old one that comes back is refused', async (t) => {
    const { primary, session } = await twoHosts(t)
    await session.query('CREATE SEQUENCE timelines START 4')
    await timelineIs(session, "nextval('public.timelines')")
    let replaced = 0
    primary.onNewTimeline(() => {
      replaced += 1
    })
    const first = await primary.connect()
    endsLastFirst(t, () => first.close())
    assert.equal(await serverTimeline(first), 6, 'both hosts were asked')
    await timelineIs(session, '4')
    const old = 'it is an old primary, on timeline 4, and this process has used timeline 5'
    await assert.rejects(primary.connect(), (error: Error & { kind: string }) => {
      assert.equal(error.kind, 'unreachable')
      assert.equal(error.message.split(old).length, 3, error.message)
      return true
    })
    assert.ok(first.isUsable)
    assert.equal(replaced, 0)
    await timelineIs(session, '7')
    const next = await primary.connect()
    endsLastFirst(t, () => next.close())
    assert.equal(first.isUsable, false)
    assert.equal(replaced, 1)
    await until('the server has ended the session of the old timeline', async () => {
      const { rowCount } = await session.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'tocsin'",
      )
      return rowCount === 1
    })
  })

  test('after a commit that is not answered all hosts are asked: the sessions on a primary that hangs are ended', async (t) => {
    const { target, session } = await twoHosts(t)
    const primary = new Primary(target, { commitTimeoutMs: 50 })
    await timelineIs(session, '4')
    const idle = await primary.connect()
    const hung = await primary.connect()
    await hung.run(`CREATE TABLE waits (); CREATE FUNCTION waits() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON waits DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION waits()`)
    await hung.begin()
    await hung.run('INSERT INTO waits DEFAULT VALUES')
    // Another server was promoted meanwhile.
    await timelineIs(session, '5')
    await assert.rejects(hung.commit(), { kind: 'unknown' })
    await until('the session that nobody uses has been ended', () => !idle.isUsable)
    const next = await primary.connect()
    endsLastFirst(t, () => next.close())
    assert.equal(await serverTimeline(next), 5)
  })

  test('however many sessions are lost and wanted at a time, each host is asked once which is the newest', async (t) => {
    const { target, session } = await twoHosts(t)
    const primary = new Primary(target)
    await session.query('CREATE SEQUENCE asked')
    await timelineIs(session, "4 + 0 * nextval('public.asked')")
    const asked = async () => Number((await session.query('SELECT last_value FROM asked')).rows[0].last_value)
    const many = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 8 }, work))
    const first = await many(() => primary.connect())
    // Each host once, and one of them again for each of the other seven.
    assert.equal(await asked(), 9)
    for (const lost of first) lost.destroy()
    const next = await many(() => primary.connect())
    assert.equal(await asked(), 9 + 9)
    for (const one of next) await one.close()
  })

  test('if no host has a session, each is asked once for everybody, all hear why, and the next one asks anew', async (t) => {
    const asked = [0, 0]
    const ports: number[] = []
    for (const n of asked.keys()) {
      const server = createServer((socket) => {
        asked[n]! += 1
        socket.destroy()
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      endsLastFirst(t, () => new Promise((resolve) => server.close(resolve)))
      ports.push((server.address() as AddressInfo).port)
    }
    const hosts = ports.map((port) => `127.0.0.1:${port}`)
    const primary = new Primary(targetOf(`postgresql://tocsin@${hosts.join()}/hut?sslmode=disable`))
    const isRefused = () =>
      assert.rejects(primary.connect(), ({ message, kind }: Error & { kind: string }) => {
        assert.equal(kind, 'unreachable')
        assert.ok(hosts.every((host) => message.includes(host)))
        return true
      })
    await Promise.all(Array.from({ length: 8 }, isRefused))
    assert.deepEqual(asked, [1, 1])
    await isRefused()
    assert.deepEqual(asked, [2, 2])
  })

  test('a server that has none is used as it is', async (t) => {
    const { primary, session } = await twoHosts(t)
    await timelineIs(session, "'no such function here'::text")
    const connection = await primary.connect()
    endsLastFirst(t, () => connection.close())
    assert.equal(await serverTimeline(connection), 0)
    assert.ok(connection.isUsable)
  })
})
