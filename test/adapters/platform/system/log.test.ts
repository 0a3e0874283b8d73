import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { suite, test } from 'node:test'
import { createLog, type LogLevel } from '../../../../src/adapters/platform/system/log.ts'
import { formOf, readableLine } from '../../../../src/adapters/platform/system/log-text.ts'
import { StoreError } from '../../../../src/ports/store.ts'

function logged(level: LogLevel, write: (log: ReturnType<typeof createLog>) => void): any[] {
  const lines: string[] = []
  write(createLog(level, { write: (line) => void lines.push(line) }))
  return lines.map((line) => JSON.parse(line))
}

test('a line is JSON with the level in words, an ISO time, the message and its fields', () => {
  const [line, ...others] = logged('info', (log) => log.info({ incidentId: 'abc', n: 1 }, 'ready'))
  assert.deepEqual(Object.keys(line), ['level', 'time', 'incidentId', 'n', 'msg'])
  assert.equal(line.level, 'info')
  assert.equal(line.msg, 'ready')
  assert.equal(new Date(line.time).toISOString(), line.time)
  assert.deepEqual(others, [])
})

for (const [level, written] of [
  ['debug', ['info', 'warn', 'error']],
  ['info', ['info', 'warn', 'error']],
  ['warn', ['warn', 'error']],
  ['error', ['error']],
  ['silent', []],
] as const) {
  test(`at ${level} these lines are written: ${written.join(', ') || 'none'}`, () => {
    const lines = logged(level, (log) => {
      log.info({}, 'a')
      log.warn({}, 'b')
      log.error({}, 'c')
    })
    assert.deepEqual(
      lines.map((line) => line.level),
      written,
    )
  })
}

test('an error is written with its kind, message and cause', () => {
  const cause = new Error('disk on fire')
  const [line] = logged('info', (log) => log.error({ err: new StoreError('save incident', 'fault', { cause }) }, 'no'))
  assert.equal(line.err.type, 'StoreError')
  assert.equal(line.err.kind, 'fault')
  assert.match(line.err.message, /save incident: disk on fire/)
  assert.match(line.err.stack, /log\.test/)
})

test('a field that must never be logged is redacted if it slips in under its name', () => {
  const about = { phone: '+43660', token: 'x', latitude: 47, name: 'Mia', text: 'help', secret: 's', userHash: 'h' }
  const [line] = logged('info', (log) => log.info({ ...about, incidentId: 'abc', contact: about }, 'oops'))
  for (const found of [line, line.contact]) {
    for (const key of Object.keys(about)) assert.equal(found[key], '[redacted]')
  }
  assert.equal(line.incidentId, 'abc')
})

test('such a field is redacted in an error too', () => {
  const err = Object.assign(new Error('no'), { to: '+43660', code: 'E1' })
  const [line] = logged('info', (log) => log.warn({ err, nothing: null, list: ['a'] }, 'oops'))
  assert.equal(line.err.to, '[redacted]')
  assert.deepEqual([line.err.code, line.err.message, line.nothing, line.list], ['E1', 'no', null, ['a']])
})

const script = `
  import { createLog } from ${JSON.stringify(new URL('../../../../src/adapters/platform/system/log.ts', import.meta.url).href)}
  const log = createLog('info')
`

async function output(code: string): Promise<{ stdout: string; code: number | null }> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script + code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  const [exitCode] = await once(child, 'close')
  return { stdout, code: exitCode }
}

test('a process that ends right after its last line has written all of them', async () => {
  const { stdout, code } = await output(`for (let n = 0; n < 500; n++) log.info({ n }, 'line'); process.exit(3)`)
  assert.equal(code, 3)
  assert.deepEqual(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).n),
    Array.from({ length: 500 }, (_, n) => n),
  )
})

test('a reader that disconnects costs lines, not the process', async () => {
  const code = `for (let n = 0; n < 200; n++) { log.info({ n }, 'x'.repeat(1000)); await new Promise(setImmediate) } process.exit(7)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script + code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  child.stdout.destroy()
  const [exitCode] = await once(child, 'close')
  assert.equal(exitCode, 7)
})

test('a full disk costs lines, not the process', {
  skip: !existsSync('/dev/full') && 'no /dev/full here',
}, async (t) => {
  const full = openSync('/dev/full', 'w')
  t.after(() => closeSync(full))
  const code = `for (let n = 0; n < 200; n++) { log.info({ n }, 'line'); await new Promise(setImmediate) } console.error('still here')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script + code], {
    stdio: ['ignore', full, 'pipe'],
  })
  let stderr = ''
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  await once(child, 'close')
  assert.match(stderr, /still here/)
})

test('a hung reader blocks nothing', async (t) => {
  const code = `
    for (let n = 0; n < 40; n++) { log.info({ n }, 'x'.repeat(1_000_000)); await new Promise(setImmediate) }
    console.error('still here')
    setInterval(() => {}, 1000)
  `
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script + code], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const [said] = await once(child.stderr!, 'data')
  assert.match(String(said), /still here/)
})

suite('for people', () => {
  const time = new Date(2026, 6, 4, 13, 0, 5).toISOString()
  const shown = (fields: object, coloured = false): string =>
    readableLine(`${JSON.stringify({ level: 'warn', time, ...fields })}\n`, { coloured })

  test('a line is time, level, message and fields', () => {
    const listeners = { http: 'http://127.0.0.1:8080', mqtt: 'mqtt://127.0.0.1:1883' }
    assert.equal(
      shown({ pid: 7, listeners, reason: 'two words', none: null, msg: 'ready' }),
      '13:00:05 WARN  ready  pid=7  listeners.http=http://127.0.0.1:8080  listeners.mqtt=mqtt://127.0.0.1:1883  reason="two words"  none=null\n',
    )
    assert.equal(shown({ msg: 'ready' }, true), '\u001b[2m13:00:05\u001b[0m \u001b[33mWARN \u001b[0m ready\n')
  })

  test('an error has its stack below it', () => {
    const err = { type: 'Error', message: 'disk on fire', stack: 'Error: disk on fire\n    at write (a.ts:1:2)' }
    assert.equal(shown({ err, msg: 'no' }), '13:00:05 WARN  no  err="disk on fire"\n    at write (a.ts:1:2)\n')
  })

  test('the terminal obeys nothing that a stranger wrote', () => {
    const text = shown({ topic: 'a\u001b[2Jb\nc', '\u0007': '\u202e', msg: 'x\ny' })
    assert.match(text, /^[^\p{Cc}\p{Bidi_Control}]+\n$/u)
  })

  test('is the default on a terminal', () => {
    assert.deepEqual(
      (['auto', 'json', 'text'] as const).map((format) => [formOf(format, true), formOf(format, false)]),
      [
        ['text', 'json'],
        ['json', 'json'],
        ['text', 'text'],
      ],
    )
  })
})
