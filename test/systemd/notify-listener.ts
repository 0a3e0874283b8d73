import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Ending } from '../harness/ending.ts'

const LISTEN = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("listening", flush=True)
while True:
    for line in s.recv(65536).decode().splitlines():
        print(line, flush=True)
`

/** The service manager's end of the notify protocol. `said` collects what it receives, in order. Ends with the test. */
export async function listenForNotices(t: Ending): Promise<{ path: string; said: readonly string[] }> {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-notify-'))
  const path = join(directory, 'notify')
  // Node does not support Unix datagram sockets.
  const child = spawn('python3', ['-c', LISTEN, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(async () => {
    const closed = once(child, 'close')
    child.kill('SIGKILL')
    await closed
    await rm(directory, { recursive: true })
  })
  const lines = createInterface(child.stdout)
  await once(lines, 'line')
  const said: string[] = []
  // systemd-notify sends BARRIER=1 to check whether everything before it was read.
  lines.on('line', (line) => line === 'BARRIER=1' || said.push(line))
  return { path, said }
}
