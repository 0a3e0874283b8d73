import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMeter } from '../../../src/adapters/platform/system/meter.ts'
import { beat } from '../../../src/app/watch/heartbeat.ts'
import type { HttpAnswer, HttpCall } from '../../../src/ports/http-caller.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A heartbeat on a virtual clock, and what somebody outside hears. */
function beating(url = 'https://hc.example/ping/1?x=1') {
  const clock = new VirtualClock()
  const meter = createMeter()
  const calls: HttpCall[] = []
  const warned: string[] = []
  const state = { reasons: [] as string[], answer: { kind: 'answered', status: 200, retryAfterMs: null } as HttpAnswer }
  let answers: (() => void)[] | null = null
  const stop = beat({
    url,
    clock,
    meter,
    readiness: async () => state.reasons,
    caller: {
      async post(call) {
        calls.push(call)
        if (answers !== null) await new Promise<void>((resolve) => answers?.push(resolve))
        return state.answer
      },
    },
    log: { info: () => {}, error: assert.fail, warn: (_fields: object, message: string) => void warned.push(message) },
  })
  return {
    calls,
    warned,
    state,
    stop,
    meter,
    advance: (text: string) => clock.advance(text, turn),
    hangs(does: boolean) {
      const waiting = answers ?? []
      answers = does ? [] : null
      for (const go of waiting) go()
    },
  }
}

const paths = (calls: readonly HttpCall[]) => calls.map(({ url }) => new URL(url).pathname.slice('/ping/1'.length))

test('somebody outside hears of the start, then every minute that all is well, or what is wrong', async () => {
  const { calls, state, advance, stop } = beating()
  await advance('1 s')
  assert.deepEqual(paths(calls), ['/start'])
  await advance('3 min')
  assert.deepEqual(paths(calls), ['/start', '', '', ''])
  state.reasons = ['the store cannot write: the disk is full', 'the dispatcher is 9 s late']
  await advance('1 min')
  assert.deepEqual(paths(calls).at(-1), '/fail')
  assert.equal(calls.at(-1)?.body, state.reasons.join('\n'))
  assert.equal(new URL(calls.at(-1)!.url).search, '?x=1', 'the query stays')
  state.reasons = []
  await advance('1 min')
  assert.equal(paths(calls).at(-1), '')
  await stop()
  const before = calls.length
  await advance('5 min')
  assert.equal(calls.length, before)
})

test('calls that hang do not pile up, and one that fails is not repeated', async () => {
  const { calls, state, warned, meter, advance, hangs, stop } = beating()
  hangs(true)
  await advance('10 min')
  assert.equal(calls.length, 1)
  hangs(false)
  await advance('11 s')
  assert.equal(calls.length, 2)
  state.answer = { kind: 'unreached', error: 'connection refused', written: false }
  await advance('3 min')
  assert.equal(calls.length, 5, 'one a minute')
  assert.equal(warned.length, 1, 'told once')
  assert.match(await meter.text(), /tocsin_heartbeats_total\{result="failed"\} 3/)
  await stop()
})
