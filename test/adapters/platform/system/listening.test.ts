import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { listeningAt } from '../../../../src/adapters/platform/system/listening.ts'

const LISTENS = `const server = require('node:net').createServer().listen(Number(process.argv[1]), '127.0.0.2')
server.on('listening', () => console.log('listens')).on('error', () => process.exit(1))`

test('every program that has the port is found, each at its own address', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const child: ChildProcess = spawn(process.execPath, ['-e', LISTENS, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await once(child.stdout!, 'data')
  const pids = listeningAt(new Set([port]))
    .get(port)
    ?.map((holder) => holder?.pid)
  assert.deepEqual(pids?.toSorted(), [process.pid, child.pid].toSorted())
})
