import assert from 'node:assert/strict'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Outbound } from '../../../../src/adapters/inbound/broker/delivery/outbound.ts'

const MAX_BEHIND = 1024

/** An output whose writes are noted; `onWrite` is called with each. */
function outputOf(onWrite: (text: string) => unknown = () => {}) {
  const written: string[] = []
  const stream = new Duplex({
    read() {},
    write(bytes: Buffer, _encoding, done) {
      written.push(bytes.toString('latin1'))
      onWrite(bytes.toString('latin1'))
      done()
    },
  })
  return { written, out: new Outbound(stream, MAX_BEHIND, () => assert.fail('stuck')) }
}

test('each connection has one write a tick, and what one sends while others are written is not lost', async () => {
  const ben = outputOf((text) => text === 'for Ben, again' && ana.out.send('to Ana, later'))
  const ana = outputOf((text) => text === 'to Ana, again' && ben.out.send(', again'))
  ana.out.send('to Ana')
  ben.out.send('for Ben')
  ana.out.send(Buffer.from(', again'))
  assert.deepEqual([ana.written, ben.written], [[], []])
  await nextTurn()
  assert.deepEqual(ana.written, ['to Ana, again', 'to Ana, later'])
  assert.deepEqual(ben.written, ['for Ben, again'])
})

test('a connection that has gone keeps no other from its write', async () => {
  const gone = new Duplex({ read() {} })
  const stuck = new Duplex({ read() {}, write() {} })
  let isStuck = false
  const outputs = [
    new Outbound(gone, MAX_BEHIND, () => assert.fail('stuck')),
    new Outbound(stuck, 1, () => {
      isStuck = true
    }),
  ]
  const ana = outputOf()
  for (const out of outputs) out.send('a long answer')
  for (const out of outputs) out.send('a long answer')
  ana.out.send('to Ana')
  gone.destroy()
  await nextTurn()
  assert.deepEqual([ana.written, isStuck], [['to Ana'], true])
  stuck.destroy()
})
