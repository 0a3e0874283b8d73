import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Change } from '../../../src/app/operator/change-feed.ts'
import { IncidentChanges } from '../../../src/app/operator/incident-changes.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

type Item = {
  readonly applicationId: string
  readonly version: number
  readonly drill: boolean
  readonly simulated: boolean
}

/** Changes whose items are what the test says, and whose pauses end when it says so. */
function changesOf({ kept = 4, maxWaiting = 100 } = {}) {
  const items = new Map<string, Item | null>()
  const pauses: { readonly ms: number; readonly work: () => void }[] = []
  const warned: string[] = []
  let fault: Error | null = null
  let reads = 0
  let eras = 0
  const changes = new IncidentChanges({
    ids: {
      secret() {
        eras += 1
        return `era${eras}`
      },
    },
    kept,
    maxWaiting,
    log: { info() {}, warn: (_, message) => void warned.push(message), error() {} },
    async read(incidentId) {
      reads += 1
      if (fault !== null) throw fault
      return items.get(incidentId) ?? null
    },
    after(ms, work) {
      const pause = { ms, work }
      pauses.push(pause)
      return () => void pauses.splice(pauses.indexOf(pause), 1)
    },
  })
  /** What a listener has heard: versions, `reload` and `end`. */
  function listen(known: string | null = null) {
    const heard: string[] = []
    let last = ''
    const note = (all: readonly Change[]) => {
      for (const { id, text } of all) {
        last = id
        heard.push(String(JSON.parse(text).version))
      }
    }
    const following = changes.follow(known, {
      changed: note,
      reload(id) {
        last = id
        heard.push('reload')
      },
      end: () => void heard.push('end'),
    })
    if (following.missed === 'reload') heard.push('reload')
    else note(following.missed)
    last ||= following.id()
    return { heard, last: () => last, stop: following.stop }
  }
  return {
    changes,
    listen,
    warned,
    pauses,
    reads: () => reads,
    fails: (error: Error | null) => {
      fault = error
    },
    /** The incident is at this version, and the service hears of it. */
    changed(incidentId: string, version: number, { isDrill = false, applicationId = 'hut' } = {}) {
      items.set(incidentId, { applicationId, version, drill: isDrill, simulated: false })
      changes.changed(incidentId)
    },
    goOn() {
      for (const { work } of pauses.splice(0)) work()
    },
    /** Everything that waits has been read, unless it cannot be. */
    async settle() {
      await turn()
      for (
        let next = pauses.findIndex(({ ms }) => ms < 100);
        next !== -1;
        next = pauses.findIndex(({ ms }) => ms < 100)
      ) {
        pauses.splice(next, 1)[0]!.work()
        await turn()
      }
    },
  }
}

suite('changes of incidents for the consoles', () => {
  test('each state is told once, however often it is announced, and the last one always', async () => {
    const { changes, listen, changed, settle } = changesOf()
    const one = listen()
    const other = listen()
    changed('a', 1)
    changed('a', 2)
    changes.changed('a')
    await settle()
    changes.changed('a')
    changed('b', 7)
    await settle()
    assert.deepEqual(one.heard.filter((version) => version === '2').length, 1)
    assert.deepEqual(other.heard, one.heard)
  })

  test('nothing is read within the commit’s own announcement: the answer to whoever pressed comes first', async () => {
    const { listen, changed, reads, settle } = changesOf()
    const { heard } = listen()
    changed('a', 1)
    await Promise.resolve()
    assert.deepEqual([reads(), heard], [0, []])
    await settle()
    assert.deepEqual([reads(), heard], [1, ['1']])
  })

  test('a hundred exercises wait behind an alarm, also one that comes after them', async () => {
    const { changes, listen, changed, settle } = changesOf({ kept: 300, maxWaiting: 300 })
    const { heard } = listen()
    for (let n = 0; n < 100; n += 1) changed(`drill ${n}`, n, { isDrill: true })
    await settle()
    assert.equal(heard.length, 100)
    heard.length = 0
    for (let n = 0; n < 100; n += 1) changed(`drill ${n}`, 200 + n, { isDrill: true })
    // Known to be one before it was ever read.
    changes.changed('new drill', true)
    changed('a', 1)
    await settle()
    assert.deepEqual([heard[0], heard.length], ['1', 101])
  })

  test('a reader who comes back gets what it missed, once and in order', async () => {
    const { listen, changed, settle } = changesOf()
    const stays = listen()
    const leaves = listen()
    changed('a', 1)
    await settle()
    leaves.stop()
    for (const [version, id] of [
      [2, 'b'],
      [3, 'a'],
      [4, 'c'],
    ] as const) {
      changed(id, version)
      await settle()
    }
    const back = listen(leaves.last())
    assert.deepEqual(back.heard, ['2', '3', '4'])
    changed('a', 5)
    await settle()
    assert.deepEqual([...leaves.heard, ...back.heard], stays.heard)
  })

  test('also when nobody else listened, for a while; then it reads the board again', async () => {
    const { listen, changed, goOn, pauses, reads, settle } = changesOf()
    const first = listen()
    changed('a', 1)
    await settle()
    first.stop()
    changed('a', 2)
    await settle()
    const second = listen(first.last())
    await settle()
    assert.deepEqual([second.heard, pauses.length], [['2'], 0], 'the time to forget has been called off')
    second.stop()
    goOn()
    changed('a', 3)
    assert.equal(reads(), 2, 'nobody listens')
    assert.deepEqual(listen(second.last()).heard, ['reload'])
  })

  test('who missed too much, knows another run of numbers or none of ours reads the board again', async () => {
    const { listen, changed, settle } = changesOf({ kept: 2 })
    const stays = listen()
    const start = stays.last()
    for (const version of [1, 2, 3]) {
      changed('a', version)
      await settle()
    }
    const era = start.split('.')[0]
    assert.deepEqual(listen(`${era}.1`).heard, ['2', '3'])
    for (const known of [start, `${era}.4`, `${era}.-1`, `${era}.`, `${era}`, 'other.3', '', '__proto__.1']) {
      assert.deepEqual(listen(known).heard, ['reload'], known)
    }
    assert.deepEqual(listen(stays.last()).heard, [])
  })

  test('what cannot be read is told when it can, and until then nothing counts as current', async () => {
    const { changes, listen, changed, fails, goOn, pauses, warned, settle } = changesOf()
    const { heard } = listen()
    fails(new Error('the disk is gone'))
    changed('a', 1)
    await settle()
    assert.deepEqual([changes.isCurrent, heard, pauses[0]?.ms], [false, [], 1000])
    goOn()
    await settle()
    fails(null)
    goOn()
    await settle()
    assert.deepEqual([changes.isCurrent, heard], [true, ['1']])
    assert.equal(warned.length, 1, 'not again with each try')
  })

  test('a note is told, although the item looks the same', async () => {
    const { changes, listen, changed, settle } = changesOf()
    const { heard } = listen()
    changed('a', 1)
    await settle()
    changes.noted('a')
    await settle()
    assert.deepEqual(heard, ['1', '1'])
  })

  test('the line is bounded: beyond it everybody reads the board again', async () => {
    const { listen, changed, changes } = changesOf({ maxWaiting: 10 })
    const { heard, last } = listen()
    for (let i = 0; i < 30; i += 1) changed(`incident ${i}`, i)
    assert.ok(heard.includes('reload'))
    const before = last()
    changes.reset()
    assert.notEqual(last(), before)
    assert.deepEqual(listen(before).heard, ['reload'])
  })

  test('an incident that is gone is no change; the end is told', async () => {
    const { changes, listen, changed, settle } = changesOf()
    const { heard } = listen()
    changes.changed('gone')
    await settle()
    changed('a', 1)
    changes.close()
    assert.deepEqual(heard, ['end'])
  })
})
