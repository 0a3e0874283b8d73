import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RoundTrips } from '../../bench/load/round-trips.ts'
import { formatNodes } from '../../bench/report/nodes.ts'
import { repeated, spreadOf } from '../../bench/statistics.ts'

/** A message of the server, and the end of an answer: outside of a transaction (I) or in one (T). */
const message = (type: string, body: string): Buffer => {
  const bytes = Buffer.from(`${type}0000${body}`)
  bytes.writeInt32BE(body.length + 4, 1)
  return bytes
}
const ready = (state: 'I' | 'T') => message('Z', state)

test('requests that do not wait for an answer are one round trip, and only transactions count', () => {
  const session = new RoundTrips()
  session.asks()
  session.answers(ready('I'))
  // BEGIN and the locks together, in pieces; then what is written and the COMMIT.
  session.asks()
  session.asks()
  const answer = Buffer.concat([ready('T'), message('D', 'ZZZZZ'), ready('T')])
  session.answers(answer.subarray(0, 9))
  session.answers(answer.subarray(9))
  session.asks()
  session.answers(Buffer.concat([ready('T'), ready('I')]))
  assert.deepEqual([session.transactions, session.trips], [1, 2])
  session.asks()
  session.answers(ready('T'))
  for (let n = 0; n < 3; n++) {
    session.asks()
    session.answers(ready(n < 2 ? 'T' : 'I'))
  }
  assert.deepEqual([session.transactions, session.trips], [2, 6])
})

test('nodes: each store beside SQLite, and what the distance costs in round trips', () => {
  const press = (ms: number) => ({ processedMs: spreadOf([ms]), acknowledgedMs: spreadOf([ms - 1]) })
  const loaded = { ...press(9), wantedRate: 500, reachedRate: 480 }
  const alone = {
    name: 'SQLite',
    ingest: repeated([1000]),
    serviceMicros: repeated([20]),
    databaseMicros: null,
    idle: press(4),
    loaded,
    distanceMs: null,
    roundTrips: null,
  }
  const one = { ...alone, name: 'PostgreSQL, 1 node', ingest: repeated([600]), databaseMicros: repeated([10]) }
  const far = { ...one, name: 'PostgreSQL, 1 node, 10 ms away', idle: press(25), distanceMs: 10.5, roundTrips: 2 }
  const text = formatNodes([alone, one, far]).join('\n')
  assert.match(text, /PostgreSQL, 1 node +600 +0\.60 +20\.0 µs +10\.0 µs +1\.50/)
  assert.match(text, /10 ms away +10\.5 ms +24\.0 ms +21\.0 ms +2\.00 +2\.00/)
})
