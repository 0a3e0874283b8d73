import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { WebSocket } from 'ws'
import type { Driver } from './driver.ts'

/** It asks nobody but the pages that it opens, and starts without its own pages. */
const PREFERENCES = {
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.aboutwelcome.enabled': false,
  'browser.safebrowsing.downloads.remote.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.page': 0,
  'browser.topsites.contile.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'dom.push.connection.enabled': false,
  'extensions.getAddons.cache.enabled': false,
  'extensions.systemAddon.update.enabled': false,
  'intl.accept_languages': 'en-GB',
  'media.gmp-manager.updateEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.enabled': false,
}

/** Starts Firefox without a window, and speaks WebDriver BiDi with it: https://w3c.github.io/webdriver-bidi/ */
export async function startFirefox(program: string): Promise<Driver> {
  const profile = await mkdtemp(join(tmpdir(), 'tocsin-firefox-'))
  const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`)
  writeFileSync(join(profile, 'user.js'), lines.join('\n'))
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', 'about:blank']
  const env = { ...process.env, HOME: profile, MOZ_CRASHREPORTER_DISABLE: '1' }
  const browser = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env })
  const closes = async (): Promise<void> => {
    const ended = browser.exitCode === null && browser.signalCode === null ? once(browser, 'exit') : null
    browser.kill('SIGKILL')
    await ended
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  }
  const socket = await connected(browser).catch(async (error: unknown) => {
    await closes()
    throw error
  })
  // Unread, what it writes would stop it in the end.
  browser.stderr.resume()
  const trouble: string[] = []
  const waiting = new Map<number, PromiseWithResolvers<any>>()
  socket.on('message', (text) => {
    const { id, type, method, params, ...rest } = JSON.parse(String(text))
    if (method === 'log.entryAdded' && /^(error|warn)$/.test(params.level)) trouble.push(params.text)
    const asked = waiting.get(id)
    waiting.delete(id)
    if (type === 'success') asked?.resolve(rest.result)
    if (type === 'error') asked?.reject(new Error(`Firefox: ${rest.error}: ${rest.message}`))
  })
  let last = 0
  const ask = (method: string, params: object = {}): Promise<any> => {
    const id = ++last
    const asked = Promise.withResolvers<any>()
    waiting.set(id, asked)
    socket.send(JSON.stringify({ id, method, params }))
    return asked.promise
  }
  await ask('session.new', { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } })
  await ask('session.subscribe', { events: ['log.entryAdded'] })
  const { contexts } = await ask('browsingContext.getTree')
  const [{ context }] = contexts
  return {
    trouble,
    navigate: (url) => ask('browsingContext.navigate', { context, url, wait: 'complete' }),
    async evaluate(expression) {
      const wrapped = `(async () => JSON.stringify(await (${expression})) ?? 'null')()`
      const { result, exceptionDetails } = await ask('script.evaluate', {
        expression: wrapped,
        target: { context },
        awaitPromise: true,
      })
      if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text)
      return result.value
    },
    act: (actions) => ask('input.performActions', { context, actions }),
    screenshot: async () => (await ask('browsingContext.captureScreenshot', { context })).data,
    resize: (width, height) => ask('browsingContext.setViewport', { context, viewport: { width, height } }),
    async close() {
      socket.terminate()
      await closes()
    },
  }
}

/** Where it listens, which it writes. */
async function address(browser: ChildProcess): Promise<string> {
  const lines = createInterface(browser.stderr!)
  for await (const line of lines) {
    const [, url] = /WebDriver BiDi listening on (\S+)/.exec(line) ?? []
    if (url !== undefined) return url
  }
  throw new Error('Firefox ended before it listened')
}

async function connected(browser: ChildProcess): Promise<WebSocket> {
  const socket = new WebSocket(`${await address(browser)}/session`)
  await once(socket, 'open')
  return socket
}
