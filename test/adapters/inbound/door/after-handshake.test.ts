import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { type TestContext, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { listen } from '../../../../src/adapters/inbound/door/listen.ts'
import { Certificate } from '../../../../src/adapters/inbound/door/secure.ts'
import { TlsTurns, UnderTls } from '../../../../src/adapters/inbound/door/under-tls.ts'
import { LoopTurns } from '../../../../src/lib/loop-turns.ts'
import { until } from '../../../harness/wait.ts'
import { newAuthority, ownPair } from '../../platform/tls/stand-in.ts'
import { writingRecords } from './writing-records.ts'

/** A key update: the shortest record that costs much. */
const RECORD_BYTES = 27
const RECORD = Buffer.alloc(RECORD_BYTES)
const CHUNK_RECORDS = 2400
/** What fits in a piece, and what the slice of a turn and a further turn allow, each with one piece more than it. */
const PIECE_RECORDS = 1000 / RECORD_BYTES
const turnRecords = (recordMs: number): number => 2 * (2 / recordMs + PIECE_RECORDS)

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Connections after their handshakes, whose TLS takes `recordMs` for each record by the clock of this test. */
function secured(t: TestContext, recordMs: number) {
  let now = 1_000_000
  t.mock.method(performance, 'now', () => now)
  const loop = new LoopTurns()
  const turns = new TlsTurns(loop)
  return {
    loop,
    /** One that has passed on its first record. */
    async connection(group: string) {
      const socket = new PassThrough() as unknown as Socket
      const below = new UnderTls(socket, turns, group)
      // As TLS does, it closes what is below it.
      const reader = Object.assign(new EventEmitter(), { isPaused: () => false, destroy: () => below.destroy() })
      below.carry(reader as unknown as TLSSocket)
      reader.emit('secure')
      let bytes = 0
      below.on('data', (piece: Buffer) => {
        bytes += piece.length
        now += (piece.length / RECORD_BYTES) * recordMs
      })
      t.after(() => below.destroy())
      const sends = (records: number): void => void socket.write(Buffer.concat(Array<Buffer>(records).fill(RECORD)))
      const passed = (): number => bytes / RECORD_BYTES
      sends(1)
      await turn()
      assert.equal(passed(), 1)
      return { socket, below, sends, passed }
    },
  }
}

/** The most that `passed` grows in one turn of the event loop, until it is `all`. */
async function mostPerTurn(passed: () => number, all: number): Promise<number> {
  let most = 0
  for (let before = passed(); before < all; before = passed()) {
    await turn()
    most = Math.max(most, passed() - before)
  }
  return most
}

for (const connections of [1, 50]) {
  test(`records that cost much take turns after the handshake: ${connections} × ${CHUNK_RECORDS}`, async (t) => {
    const { connection } = secured(t, 0.06)
    const all = await Promise.all(Array.from({ length: connections }, () => connection('192.0.2.1')))
    for (const { sends } of all) sends(CHUNK_RECORDS)
    const passed = (): number => all.reduce((sum, one) => sum + one.passed(), 0)
    const most = await mostPerTurn(passed, connections * (CHUNK_RECORDS + 1))
    assert.ok(most <= turnRecords(0.06), `${most} in one turn`)
  })
}

test('the control: records that cost nothing take none', async (t) => {
  const { connection } = secured(t, 0)
  const { sends, passed } = await connection('192.0.2.1')
  sends(CHUNK_RECORDS)
  assert.ok((await mostPerTurn(passed, CHUNK_RECORDS + 1)) > 2000)
})

test('another client’s bytes and an alarm do not wait behind them', async (t) => {
  const { connection, loop } = secured(t, 0.06)
  const crowd = await Promise.all(Array.from({ length: 50 }, () => connection('192.0.2.1')))
  const other = await connection('192.0.2.9')
  for (const { sends } of crowd) sends(CHUNK_RECORDS)
  await turn()
  const passed = (): number => crowd.reduce((sum, one) => sum + one.passed(), 0)
  for (const what of ['bytes', 'alarm'] as const) {
    const before = passed()
    let behind: number | null = null
    const comes = (): void => {
      behind = passed() - before
    }
    if (what === 'bytes') {
      other.below.once('data', comes)
      other.sends(1)
    } else loop.start({ kind: 'alarm', group: '192.0.2.9', member: '' }, comes)
    await until(what, () => behind !== null)
    assert.ok(behind! <= turnRecords(0.06), `${what} behind ${behind}`)
  }
})

test('what waits for its turn arrives whole and in order, and then the end', async (t) => {
  const { connection } = secured(t, 0.06)
  const { socket, below, sends } = await connection('192.0.2.1')
  const waits: boolean[] = []
  below.on('wait', () => waits.push(below.isWaiting)).on('go', () => waits.push(below.isWaiting))
  const pieces: Buffer[] = []
  below.on('data', (piece: Buffer) => pieces.push(piece))
  let hasEnded = false
  below.once('end', () => {
    hasEnded = true
  })
  sends(CHUNK_RECORDS)
  socket.end('help')
  await until('the end', () => hasEnded)
  assert.equal(
    Buffer.concat(pieces)
      .subarray(CHUNK_RECORDS * RECORD_BYTES)
      .toString(),
    'help',
  )
  assert.deepEqual([waits[0], waits.at(-1)], [true, false])
})

/** How many turns of the event loop it takes until `help` behind 2,400 key updates of a client has arrived. */
async function turnsBehindKeyUpdates(t: TestContext): Promise<number> {
  let text = ''
  const ends: Socket[] = []
  const certificate = new Certificate(await ownPair(await newAuthority()))
  const { port, close } = await listen(
    { host: '127.0.0.1', port: 0 },
    {
      loop: new LoopTurns(),
      tls: { certificate, handshakeMs: 60_000 },
      meet: () => (socket) => {
        ends.push(socket)
        socket.on('data', (bytes) => {
          text += bytes
        })
      },
    },
  )
  const { raw, records } = await writingRecords(port)
  t.after(async () => {
    raw.destroy()
    for (const end of ends) end.destroy()
    await close()
  })
  const updates = Array.from({ length: CHUNK_RECORDS }, () => records.keyUpdate())
  raw.write(Buffer.concat([...updates, records.applicationData(Buffer.from('help'))]))
  let turns = 0
  for (; text === ''; turns += 1) await turn()
  assert.equal(text, 'help')
  return turns
}

test('key updates take turns, and a publish behind them arrives', async (t) => {
  // Each look at the clock is a millisecond later, so that every piece has used its time.
  let now = 0
  const clock = t.mock.method(performance, 'now', () => {
    now += 1
    return now
  })
  const turns = await turnsBehindKeyUpdates(t)
  assert.ok(turns > 30, `${turns} turns`)
  // The control: time that stands still is never over.
  clock.mock.mockImplementation(() => now)
  const few = await turnsBehindKeyUpdates(t)
  assert.ok(few < 15, `${few} turns`)
})
