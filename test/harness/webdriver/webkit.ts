import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { freePort } from '../free-port.ts'
import { until } from '../wait.ts'
import type { Driver } from './driver.ts'

const NARROW = '* { min-width: 0; padding: 0; margin: 0; border-width: 0; font-size: 1px }'

/**
 * Starts WebKitGTK's small browser on a screen in memory, and speaks WebDriver with it:
 * https://w3c.github.io/webdriver/
 */
export async function startWebKit(program: string, browser: string): Promise<Driver> {
  const home = await mkdtemp(join(tmpdir(), 'tocsin-webkit-'))
  // Its row of buttons would keep the window wider than a small phone.
  await mkdir(join(home, '.config/gtk-3.0'), { recursive: true })
  await writeFile(join(home, '.config/gtk-3.0/gtk.css'), NARROW)
  const screen = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1400x1000x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const [number] = await once(screen.stdio[3] as Readable, 'data')
  const port = await freePort()
  const env = {
    ...process.env,
    DISPLAY: `:${String(number).trim()}`,
    HOME: home,
    XDG_RUNTIME_DIR: home,
    NO_AT_BRIDGE: '1',
    LIBGL_ALWAYS_SOFTWARE: '1',
    LANG: 'en_GB.UTF-8',
  }
  const driver = spawn(program, [`--port=${port}`], { stdio: 'ignore', env })
  const ask = async (method: string, path: string, body?: object): Promise<any> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const { value } = (await response.json()) as any
    if (!response.ok) throw new Error(`WebKit: ${value.error}: ${value.message}`)
    return value
  }
  const closes = async (): Promise<void> => {
    await ended(driver)
    await ended(screen)
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
  const opens = async (): Promise<{ readonly sessionId: string }> => {
    await until('WebKit’s driver listens', () => ask('GET', '/status').catch(() => null))
    const options = { binary: browser, args: ['--automation'] }
    const alwaysMatch = { acceptInsecureCerts: true, 'webkitgtk:browserOptions': options }
    return ask('POST', '/session', { capabilities: { alwaysMatch } })
  }
  const { sessionId } = await opens().catch(async (error: unknown) => {
    await closes()
    throw error
  })
  const session = `/session/${sessionId}`
  return {
    trouble: [],
    navigate: (url) => ask('POST', `${session}/url`, { url }),
    async evaluate(expression) {
      const script = `const [done] = arguments
        const value = async () => JSON.stringify(await (${expression})) ?? 'null'
        value().then((value) => done({ value }), (error) => done({ error: String(error) }))`
      const { value, error } = await ask('POST', `${session}/execute/async`, { script, args: [] })
      if (error !== undefined) throw new Error(error)
      return value
    },
    act: (actions) => ask('POST', `${session}/actions`, { actions }),
    screenshot: () => ask('GET', `${session}/screenshot`),
    async resize(width, height) {
      await ask('POST', `${session}/window/rect`, { width, height })
    },
    async close() {
      await ask('DELETE', session).catch(() => null)
      await closes()
    },
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
}
