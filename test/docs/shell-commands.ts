import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { TestContext } from 'node:test'
import type { Ended } from '../harness/command-line.ts'

/**
 * Functions of a shell script that the test's process carries out (`takeCommands`): to load the program for each
 * command of a page costs more than all the rest. Each sends its words, ended by NUL, and one more NUL.
 */
export const inShell = (...names: readonly string[]): string => `
asked() {
  local code
  exec 3<> "/dev/tcp/127.0.0.1/$COMMANDS"
  printf '%s\\0' "$@" >&3
  printf '\\0' >&3
  read -r code <&3
  if [ "$code" = 0 ]; then cat <&3; else cat <&3 >&2; fi
  exec 3>&-
  return "$code"
}
${names.map((name) => `${name}() { asked ${name} "$@"; }`).join('\n')}
`

type Said = Pick<Ended, 'code' | 'stdout' | 'stderr'>
export type Program = (...args: readonly string[]) => Promise<Said>

/**
 * Carries out what `inShell` asks for, until the test ends. The script needs the result in its environment. The reply
 * is the exit code in one line, then what the command wrote: to stdout, or to stderr if it failed.
 */
export async function takeCommands(
  t: TestContext,
  programs: Readonly<Record<string, Program>>,
): Promise<{ readonly COMMANDS: string }> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    let asked = ''
    // A script that was killed waits for no reply.
    socket.on('error', () => {})
    socket.setEncoding('utf8').on('data', async (text: string) => {
      asked += text
      if (!asked.endsWith('\0\0')) return
      const [name = '', ...args] = asked.slice(0, -2).split('\0')
      const failed = (error: Error): Said => ({ code: 1, stdout: '', stderr: `${error.message}\n` })
      const { code, stdout, stderr } = await programs[name]!(...args).catch(failed)
      socket.end(`${code}\n${code === 0 ? stdout : stderr}`)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { COMMANDS: String((server.address() as AddressInfo).port) }
}
